import { expect, it } from "vitest";
import { decisionsOf } from "../src/analysis/politicalMeter.svelte";
import { MoveNode } from "../src/analysis/moveTree";
import type { AnalysedLine } from "../src/lib/types";

const lines = (found: Record<string, number[]>): AnalysedLine[] =>
  Object.entries(found).map(([text, scores]) => ({ pv: [text], scores }) as AnalysedLine);

it("values what was played by its line, else by what is expected after it, at the end by the result", () => {
  const start = new MoveNode();
  const line = [start];
  for (const [i, text] of ["a", "c", "forced", "last", "resigns"].entries()) {
    const node = new MoveNode(text, line.at(-1) ?? null);
    node.seat = text === "resigns" ? null : i % 3;
    line.push(node);
  }
  const looked = new Map<MoveNode, AnalysedLine[] | null>([
    [line[0] as MoveNode, lines({ a: [0.5, 0.3, 0.2], b: [0.4, 0.4, 0.2] })],
    [line[1] as MoveNode, lines({ b: [0.4, 0.4, 0.2] })],
    [line[2] as MoveNode, lines({ forced: [0, 0.5, 0.5] })],
    [line[3] as MoveNode, lines({ x: [0, 0.5, 0.5] })],
    [line[4] as MoveNode, null],
  ]);
  expect([...decisionsOf(line, looked, [0, 1, 0]).values()]).toEqual([
    { mover: 0, scores: { a: [0.5, 0.3, 0.2], b: [0.4, 0.4, 0.2] }, played: "a" },
    { mover: 1, scores: { b: [0.4, 0.4, 0.2], c: [0, 0.5, 0.5] }, played: "c" },
    { mover: 0, scores: { x: [0, 0.5, 0.5], last: [0, 1, 0] }, played: "last" },
  ]);
  looked.delete(line[4] as MoveNode); // stopped before it was analysed
  expect(decisionsOf(line, looked, null).size).toBe(2);
});
