import { describe, expect, it } from "vitest";
import { cornerOf, type Spot } from "../src/board/popup";

const FRAME = { width: 400, height: 300 };
const POPUP = { width: 120, height: 50 };
const cell = (x: number, y: number): Spot => ({ x, y, size: 40 });
/** the six cells around one */
const ring = ({ x, y, size }: Spot): Spot[] =>
  [0, 60, 120, 180, 240, 300].map((angle) => {
    const a = (angle * Math.PI) / 180;
    return { x: x + size * Math.cos(a), y: y + size * Math.sin(a), size };
  });
const covers = (place: { left: number; top: number }, { x, y, size }: Spot, part = 0.4): boolean =>
  x + part * size > place.left &&
  x - part * size < place.left + POPUP.width &&
  y + part * size > place.top &&
  y - part * size < place.top + POPUP.height;

describe("where the popup of choices goes", () => {
  it("is above its cell, in the middle", () => {
    const { left, top } = cornerOf(FRAME, POPUP, cell(200, 200), []);
    expect(left).toBe(140);
    expect(top).toBeCloseTo(200 - 0.62 * 40 - 50, 5);
  });
  it("is below where there is no room above", () => {
    expect(cornerOf(FRAME, POPUP, cell(200, 30), []).top).toBeGreaterThan(30);
  });
  it("stays inside the frame", () => {
    for (const x of [0, 20, 200, 390])
      for (const y of [0, 20, 150, 299]) {
        const { left, top } = cornerOf(FRAME, POPUP, cell(x, y), [], ring(cell(x, y)));
        expect(left).toBeGreaterThanOrEqual(0);
        expect(left + POPUP.width).toBeLessThanOrEqual(FRAME.width);
        expect(top).toBeGreaterThanOrEqual(0);
        expect(top + POPUP.height).toBeLessThanOrEqual(FRAME.height);
      }
  });
  it("keeps off what was chosen before", () => {
    const before = cell(200, 160);
    expect(covers(cornerOf(FRAME, POPUP, cell(200, 200), [before]), before)).toBe(false);
  });
  it("hides neither its cell nor one of those around it, wherever that is", () => {
    for (const x of [25, 100, 200, 300, 375])
      for (const y of [25, 80, 150, 220, 275]) {
        const at = cell(x, y);
        const place = cornerOf(FRAME, POPUP, at, [], ring(at));
        for (const one of [at, ...ring(at)]) expect(covers(place, one, 0.3), `${x} ${y}`).toBe(false);
      }
  });
  it("hides none of the cells two away on a phone", () => {
    const [board, popup] = [
      { width: 374, height: 370 },
      { width: 160, height: 60 },
    ];
    const grid = (column: number, row: number): Spot => ({ x: 74 + 64 * column, y: 32 + 64 * row, size: 64 });
    const ways = [-2, -1, 1, 2].flatMap((far) => [
      [far, 0],
      [0, far],
    ]);
    for (let column = 0; column < 5; column++)
      for (let row = 0; row < 5; row++) {
        const around = ways.map(([x = 0, y = 0]) => grid(column + x, row + y));
        const { left, top } = cornerOf(board, popup, grid(column, row), [], around);
        for (const { x, y } of around) {
          const across = Math.min(x + 16, left + popup.width) - Math.max(x - 16, left);
          const down = Math.min(y + 16, top + popup.height) - Math.max(y - 16, top);
          expect(across > 0 && down > 0, `${column} ${row}`).toBe(false);
        }
      }
  });
  it("has a place where its cell is not in sight", () => {
    expect(cornerOf(FRAME, POPUP, null, [])).toEqual({ left: 140, top: 210 });
  });
});
