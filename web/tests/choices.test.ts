import { describe, expect, test } from "vitest";
import { choices, closingPicks, NOTHING, routes, unpicked, usable } from "../src/board/turn";
import type { Path } from "../src/lib/types";

const PLACE: Path[] = ["a1", "b1"].flatMap((cell) =>
  ["X", "O"].map((kind): Path => [`${kind}${cell}`, [`#${kind}`, cell], `${kind} on ${cell}`]),
);
const MOVE: Path[] = [
  ["a1-b1", ["a1", "b1"], "to b1"],
  ["a1-b1=X", ["a1", "b1", "#X"], "to b1, an X"],
  ["a1-c1", ["a1", "c1"], "to c1"],
];

describe("choices", () => {
  test("picks may come before or after their cell", () => {
    const all = routes(PLACE);
    expect(choices(all, { cells: [], picks: ["X"] }).cells.size).toBe(2);
    expect(choices(all, { cells: ["a1"], picks: [] }).picks).toEqual(new Set(["X", "O"]));
    expect(choices(all, { cells: ["a1"], picks: ["O"] }).action?.[0]).toBe("Oa1");
  });
  test("cells come in their order", () => {
    const all = routes(MOVE);
    expect(choices(all, { cells: ["b1"], picks: [] }).count).toBe(0);
    expect([...choices(all, { cells: ["a1"], picks: [] }).cells.keys()]).toEqual(["b1", "c1"]);
  });
  test("an action that may go on is told together with the rest", () => {
    const found = choices(routes(MOVE), { cells: ["a1", "b1"], picks: [] });
    expect(found.action?.[0]).toBe("a1-b1");
    expect(found.more).toBe(true);
    expect(found.picks).toEqual(new Set(["X"]));
  });
});

test("what a pick must come before is not marked until one is chosen", () => {
  const all = routes([...PLACE, ...MOVE]);
  expect(unpicked(all, NOTHING)).toEqual(new Set(["b1"])); // from a1 something moves
  expect(unpicked(all, { cells: [], picks: ["X"] })).toEqual(new Set());
  expect(unpicked(all, { cells: ["a1"], picks: [] })).toEqual(new Set());
});

test("what is held stays only where it is of use", () => {
  const all = routes(PLACE.filter(([action]) => action.startsWith("X")));
  expect(usable(all, { cells: [], picks: ["X"] }).picks).toEqual(["X"]);
  expect(usable(all, { cells: [], picks: ["O"] })).toEqual(NOTHING);
});

test("picks that only end a motion are told apart", () => {
  expect(closingPicks(MOVE)).toEqual(new Set(["X"]));
  expect(closingPicks([...MOVE, ["X@d1", ["#X", "d1"], "bring an X"]])).toEqual(new Set());
});
