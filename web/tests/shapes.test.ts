import { expect, test } from "vitest";
import { brushOf, commentOf, commentText, shapesIn, toggled, type Shape } from "../src/board/shapes";

const CELLS = new Set(["a1", "a11", "d4", "e5"]);
const isCell = (name: string): boolean => CELLS.has(name);
const CIRCLE: Shape = { brush: "B", from: "d4", to: "d4" };
const ARROW: Shape = { brush: "R", from: "a11", to: "e5" };

test("shapes are written in a comment as in PGN, and read again", () => {
  const comment = commentOf("Better is e5.", [ARROW, CIRCLE]);
  expect(comment).toBe("Better is e5. [%csl Bd4] [%cal Ra11e5]");
  expect(commentText(comment)).toBe("Better is e5.");
  expect(shapesIn(comment, isCell)).toEqual([CIRCLE, ARROW]);
  expect(commentOf("", [])).toBe("");
});

test("what is no shape of this board is left out", () => {
  expect(shapesIn("[%csl Gz9,Xd4,G][%cal Gd4,Gd4z9,Yd4e5] [%clk 1:00]", isCell)).toEqual([
    { brush: "Y", from: "d4", to: "e5" },
  ]);
  expect(commentText("[%clk 1:00] [%csl Gd4]")).toBe("[%clk 1:00]");
});

test("the same shape again is erased, and another brush replaces it", () => {
  expect(toggled([ARROW], CIRCLE)).toEqual([ARROW, CIRCLE]);
  expect(toggled([ARROW, CIRCLE], ARROW)).toEqual([CIRCLE]);
  expect(toggled([ARROW], { ...ARROW, brush: "G" })).toEqual([{ ...ARROW, brush: "G" }]);
});

test("one position has at most 40 shapes", () => {
  const many = Array.from({ length: 40 }, (_, i): Shape => ({ brush: "G", from: `c${i}`, to: `c${i}` }));
  expect(toggled(many, ARROW)).toHaveLength(40);
});

test("keys choose the brush as on lichess", () => {
  const right = (shiftKey: boolean, altKey: boolean): string => brushOf({ button: 2, shiftKey, altKey });
  expect([right(false, false), right(true, false), right(false, true), right(true, true)].join("")).toBe("GRBY");
  expect(brushOf({ button: 0, shiftKey: true }, "B")).toBe("B");
});
