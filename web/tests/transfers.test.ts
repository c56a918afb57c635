import { expect, test } from "vitest";
import { bow, flight, levied } from "../src/table/transfers";

test("counters fly beside cards that stand above each other, and below cards that stand beside each other", () => {
  expect(bow(10, 200)[0]).toBeLessThan(0);
  expect(bow(10, 200)[1]).toBe(0);
  expect(bow(-200, 10)[0]).toBe(0);
  expect(bow(-200, 10)[1]).toBeGreaterThan(0);
});

test("a counter that leaves the game is seen until it is over the board, and fades only there", () => {
  const frames = flight(100, -300, true);
  expect(frames.map((frame) => frame.opacity)).toEqual([1, 1, 0]);
  expect(frames[1]?.transform).toContain("translate(100px, -300px)");
  expect(flight(100, -300, false).some((frame) => frame.opacity === 0)).toBe(false);
});

test("payments are said that the player to move did not choose", () => {
  const paid = (from: number, amount: number, says: string) => ({
    kind: "paid",
    cells: [],
    says,
    data: { from, amount },
  });
  const moved = { kind: "moved", cells: ["a1"], says: "It moves.", data: { from: "a1" } };
  const found = levied([moved, paid(2, 3, "Red pays."), paid(0, 1, "White pays for a piece.")], 0);
  expect(found.map((event) => event.says)).toEqual(["Red pays."]);
});
