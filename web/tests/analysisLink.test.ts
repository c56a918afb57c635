import { expect, test } from "vitest";
import { read, type AnalysisData } from "../src/analysis/analysisLink";
import { packed } from "../src/lib/packing";

const analysis: AnalysisData = {
  start: "game/4 a/b X -",
  moves: [
    [-1, "a1", "a comment, with ü and 上"],
    [0, "b2"],
    [-1, "c3"],
  ],
  at: 1,
  headers: { Event: "Friday" },
  comment: "the start",
};

test("a tree that is handed on in an address comes back the same", async () => {
  const text = await packed(analysis);
  expect(text).toMatch(/^[\w-]+$/);
  expect(await read(text)).toEqual(analysis);
});

test("a long game stays short enough for an address", async () => {
  const moves = Array.from({ length: 200 }, (_, i): [number, string] => [i - 1, `R${"abcdefghi"[i % 9]}${i % 17}`]);
  expect((await packed({ start: "game/9", moves, at: 199 })).length).toBeLessThan(2000);
});

test("what is damaged, cut off or something else is nothing", async () => {
  const text = await packed(analysis);
  for (const bad of ["", "x", "seat=abc", text.slice(0, -9), text.slice(9), "AAAA", await packed(7 as never)])
    expect(await read(bad)).toBeNull();
});
