import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Playback } from "../src/table/table.svelte";

let shown: number[] = [];
const playback = (): Playback<number> =>
  new Playback<number>(
    (item) => shown.push(item),
    () => true,
  );
beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { hidden: false });
  shown = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("what others do is shown one thing after another", () => {
  const show = playback();
  for (const item of [1, 2, 3]) show.add(item, "move");
  expect(shown).toEqual([1]);
  vi.advanceTimersByTime(10_000);
  expect(shown).toEqual([1, 2, 3]);
});

test("one's own comes at once, with all before it", () => {
  const show = playback();
  for (const item of [1, 2]) show.add(item, "move");
  show.add(3, "own");
  expect(shown).toEqual([1, 2, 3]);
});

test("held, it is shown step by step", () => {
  const show = playback();
  show.pause();
  for (const item of [1, 2]) show.add(item, "move");
  vi.advanceTimersByTime(10_000);
  expect([shown, show.waiting]).toEqual([[], 2]);
  show.step();
  expect([shown, show.waiting]).toEqual([[1], 1]);
  show.go();
  expect(shown).toEqual([1, 2]);
});

test("to the end nothing waits", () => {
  const show = playback();
  show.speed = "end";
  for (const item of [1, 2, 3]) show.add(item, "move");
  expect(shown).toEqual([1, 2, 3]);
});
