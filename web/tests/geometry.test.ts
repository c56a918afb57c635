import { describe, expect, test } from "vitest";
import { across, contour, ghosts, layout, loops, neighbour, turnPoint, turnStep } from "../src/board/geometry";
import type { Cell } from "../src/lib/types";
import { hexagons, squares } from "./boards";

const UPRIGHT = { angle: 0, flipped: false };
const plan = (size = 3, wrapped = false) => layout(squares(size, wrapped), UPRIGHT, false);
const cell = (name: string, of = plan()) => {
  const found = of.at.get(name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
};

test("a quarter turn goes clockwise, and mirroring comes before it", () => {
  const [x, y] = turnPoint([1, 0], { angle: 90, flipped: false });
  expect([x, y].map((v) => Math.round(v))).toEqual([0, 1]);
  const [fx, fy] = turnPoint([1, 0], { angle: 90, flipped: true });
  expect([fx, fy].map((v) => Math.round(v))).toEqual([-0, -1]);
});

test("a turned board keeps its cells, and its box holds them", () => {
  const turned = layout(squares(3), { angle: 45, flipped: false }, false);
  expect(turned.cells).toHaveLength(9);
  const [left, top, width, height] = turned.box;
  for (const { x, y } of turned.cells) {
    expect(x).toBeGreaterThan(left);
    expect(x).toBeLessThan(left + width);
    expect(y).toBeGreaterThan(top);
    expect(y).toBeLessThan(top + height);
  }
});

test("the outline of a cell at the edge lies within the box, with coordinates too", () => {
  const widest = 0.15 / 2; // .edge-back in Marks.svelte
  for (const coordinates of [true, false]) {
    const { box, at, tile } = layout(hexagons(3), UPRIGHT, coordinates);
    const corners = tile.split(" ").map((point) => Number(point.split(",")[1]));
    const top = Math.min(...[...at.values()].map(({ y }) => y)) + Math.min(...corners);
    expect(top - box[1]).toBeGreaterThanOrEqual(widest);
  }
});

test("a crop is a box around those cells alone", () => {
  const [left, top, width, height] = layout(squares(4), UPRIGHT, false, ["a1"]).box;
  expect(left + width / 2).toBeCloseTo(0);
  expect(top + height / 2).toBeCloseTo(3);
  expect(width).toBeLessThan(2);
});

test("a turned board keeps the shades of its cells", () => {
  const board = hexagons(4);
  const shaded = { ...board, cells: board.cells.map((one, i) => ({ ...one, shade: i % 3 })) };
  const { cells } = layout(shaded, { angle: 60, flipped: true }, false);
  expect(cells.map(({ shade }) => shade)).toEqual(shaded.cells.map(({ shade }) => shade));
  expect(layout(board, UPRIGHT, false).cells.some((one) => "shade" in one)).toBe(false);
});

test("boards turn by the step of their grid", () => {
  expect(turnStep(squares(3))).toBe(90);
  expect(turnStep(hexagons(3))).toBe(60);
});

describe("the arrows", () => {
  test("lead to the next square and not beyond the edge", () => {
    const { cells } = plan();
    expect(neighbour(cell("b2"), cells, "up", 1)?.name).toBe("b3");
    expect(neighbour(cell("b2"), cells, "left", 1)?.name).toBe("a2");
    expect(neighbour(cell("a2"), cells, "left", 1)).toBeNull();
  });
  test("keep to their column on hexagons, row by row", () => {
    const board = layout(hexagons(3), UPRIGHT, false);
    const start = board.cells.find(({ x, y }) => x === 0 && y === 0);
    if (!start) throw new Error("a hexagon has a middle");
    let at: Cell = start;
    for (let i = 0; i < 2; i++) at = neighbour(at, board.cells, "up", 0) ?? at;
    expect(at.x).toBeCloseTo(0);
    expect(at.y).toBeCloseTo(-Math.sqrt(3), 2);
  });
  test("cross the seam of a wrapped board", () => {
    const board = squares(3, true);
    const { cells } = plan(3, true);
    expect(across(board, cells, cell("a2"), "left")?.name).toBe("c2");
    expect(across(squares(3), cells, cell("a2"), "left")).toBeNull();
  });
});

describe("contours", () => {
  const { at, tile } = plan();
  test("two neighbours have one line around them", () => {
    const path = contour(at, tile, ["a1", "b1"]);
    expect(loops(path)).toHaveLength(1);
    expect(path.match(/L/g)).toHaveLength(6);
  });
  test("a hole has a line of its own, inside the rim", () => {
    const around = [...at.keys()].filter((name) => name !== "b2");
    const found = loops(contour(at, tile, around));
    expect(found.map(({ rim }) => rim).sort()).toEqual([false, true]);
  });
  test("unknown cells are left out", () => expect(contour(at, tile, ["z9"])).toBe(""));
});

test("a wrapped board goes on beyond its rim, another does not", () => {
  expect(ghosts(squares(3), plan().cells)).toEqual([]);
  const beyond = ghosts(squares(3, true), plan(3, true).cells);
  expect(beyond).toHaveLength(12);
  expect(beyond.find(({ x, y }) => x === -1 && y === 1)?.cell).toBe("c2");
});
