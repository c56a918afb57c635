import { expect, it } from "vitest";
import { doubtfulEnds } from "../src/analysis/gameJudge.svelte";
import type { MoveNode } from "../src/analysis/moveTree";

it("looks again at the turns that seem to have cost each player most", () => {
  const chances = [0.5, 0.5, 0.3, 0.6, 0.58, 0.62]; // of the first player, at the ends of turns
  const ends = chances.map((_, i) => ({ children: [{ seat: i % 2 }] }) as unknown as MoveNode);
  const judged = new Map(
    ends.map((end, i) => [end, { scores: [chances[i] ?? 0, 1 - (chances[i] ?? 0)], proved: false }]),
  );
  expect(doubtfulEnds(ends, judged).map((end) => ends.indexOf(end))).toEqual([]);
  judged.set(ends[1] as MoveNode, { scores: [0.3, 0.7], proved: false });
  expect(doubtfulEnds(ends, judged).map((end) => ends.indexOf(end))).toEqual([0, 1]);
});
