import { expect, test } from "vitest";
import { layout } from "../src/board/geometry";
import {
  byCell,
  differences,
  entrance,
  motionBetween,
  shorterWay,
  shownEvents,
  turnedCells,
  turning,
} from "../src/board/state";
import { piece, squares } from "./boards";

const { at } = layout(squares(4), { angle: 0, flipped: false }, false);
const events = (...cells: string[][]) => cells.map((found) => ({ cells: found }));
const between = (before: string[], after: string[], ...cells: string[][]) => {
  const pieces = (names: string[]) => byCell(names.map((name) => piece(name)));
  return motionBetween(pieces(before), pieces(after), { serial: 1, events: events(...cells), pace: 100 }, at);
};

test("a piece that leaves one cell for another slides, and does not fade", () => {
  const motion = between(["a1"], ["b2"], ["a1", "b2"]);
  expect(motion.slides.get("b2")?.name).toBe("a1");
  expect(motion.leaving).toEqual([]);
  const to = at.get("b2");
  expect(to && entrance(motion, to)).toBe("--dx:-1px;--dy:1px;--delay:0ms");
});

test("a chain arrives in the order of its events, and unchanged cells take no time", () => {
  const motion = between(["d4"], ["a1", "b1", "c1", "d4"], ["a1"], ["d4"], ["b1", "c1"]);
  expect([...motion.order]).toEqual([
    ["a1", 0],
    ["b1", 1],
    ["c1", 1],
  ]);
  expect(motion.lasts).toBe(500 + 2 * 100);
  const last = at.get("c1");
  expect(last && entrance(motion, last)).toBe("--delay:100ms");
});

test("what is taken fades", () => {
  const motion = between(["a1", "b1"], ["b1"], ["a1"]);
  expect(motion.leaving.map(({ cell }) => cell)).toEqual(["a1"]);
});

test("a piece with another owner is another piece", () => {
  const [mine, other] = [piece("a1", "X", { owner: 0 }), piece("a1", "X", { owner: 1 })];
  const motion = motionBetween(byCell([mine]), byCell([other]), { serial: 1, events: events(["a1"]), pace: 0 }, at);
  expect(motion.leaving).toEqual([mine]);
});

test("differences tell what cells hold afterwards, flags included", () => {
  const flagged = piece("b1", "X", { flags: ["asleep"] });
  const found = differences([piece("a1"), piece("b1"), piece("c1")], [flagged, piece("c1"), piece("d1")]);
  expect([...found]).toEqual([
    ["a1", null],
    ["b1", flagged],
    ["d1", piece("d1")],
  ]);
});

test("what is only looked at moves from the chosen cells on", () => {
  const found = shownEvents(["a1", "b1"], [piece("a1"), piece("c1")], [piece("b1")]);
  expect(found).toEqual([{ cells: ["a1", "b1"] }, { cells: ["c1"] }]);
});

test("all pieces that changed hands are listed, however many, but not those that changed only their flags", () => {
  const names = ["a1", "b1", "c1", "d1", "e1", "f1"];
  const before = names.map((name) => piece(name, "X", { owner: 0 }));
  const after = names.slice(0, 5).map((name) => piece(name, "X", { owner: 1 }));
  expect(turnedCells(before, [...after, piece("f1", "X", { owner: 0, flags: ["asleep"] })])).toEqual(names.slice(0, 5));
});

test("a board turns the shorter way, around its own middle", () => {
  expect([120, 240, -240, 300, 0].map(shorterWay)).toEqual([120, -120, 120, -60, 0]);
  const { cells } = layout(squares(4), { angle: 90, flipped: false }, false);
  expect(turning(cells, 90)).toMatch(/^--swing:-90deg;transform-origin:\S+px \S+px$/);
  const [x = 0, y = 0] = [...turning(cells, 90).matchAll(/(\S+)px/g)].map(([, number]) =>
    Number(number?.split(":").at(-1)),
  );
  expect(x).toBeCloseTo(cells.reduce((sum, cell) => sum + cell.x, 0) / cells.length);
  expect(y).toBeCloseTo(cells.reduce((sum, cell) => sum + cell.y, 0) / cells.length);
});
