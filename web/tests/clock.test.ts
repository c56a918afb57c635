import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { heard, serverTime, timeLeft } from "../src/panels/clock.svelte";
import { clockWords, rated, span } from "../src/lib/format";
import { CLOCKS, rulesFrom, rulesWish } from "../src/lobby/tableRules";
import type { Clock } from "../src/lib/types";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  heard(null);
  vi.useRealTimers();
});
const clock = (left: number[], more: Partial<Clock> = {}): Clock => ({
  kind: "fischer",
  control: {},
  running: 0,
  left,
  at: 5_000_000,
  periods: null,
  lag: [],
  away: [],
  ...more,
});

test("the running clock falls by the server's time, the others stand", () => {
  const told = clock([60_000, 60_000]);
  heard(told);
  expect(serverTime()).toBe(5_000_000);
  vi.advanceTimersByTime(10_000);
  expect(timeLeft(told, 0).text).toBe("0:50");
  expect(timeLeft(told, 1).text).toBe("1:00");
});

test("it stops at nothing, and says when it is short", () => {
  const told = clock([9_400], { at: 6_000_000 });
  heard(told);
  expect(timeLeft(told, 0)).toMatchObject({ text: "0:09.4", short: true });
  vi.advanceTimersByTime(60_000);
  expect(timeLeft(told, 0).text).toBe("0:00.0");
});

test("a device whose clock is set, or that slept, shows the server's time and asks for it once", () => {
  const asked = vi.fn();
  const told = clock([60_000, 60_000], { at: 7_000_000 });
  heard(told, false, asked);
  for (const hours of [1, -2]) {
    vi.setSystemTime(Date.now() + 3_600_000 * hours);
    vi.advanceTimersByTime(5000);
  }
  expect(timeLeft(told, 0).text).toBe("0:50");
  expect(asked).toHaveBeenCalledTimes(2);
  heard({ ...told, at: 7_030_000 });
  expect(timeLeft(told, 0).text).toBe("0:30");
});

test("days, hours and periods", () => {
  const told = clock([3 * 86_400_000 + 7_200_000, 3_725_000, 30_000], { running: null, periods: [1, 2, 5] });
  expect([0, 1, 2].map((seat) => timeLeft(told, seat).text)).toEqual(["3 d 2 h (1)", "1:02:05 (2)", "0:30 (5)"]);
  expect(timeLeft(told, 0).words).toBe("3 days left");
});

test("clocks in words", () => {
  expect(Object.values(CLOCKS).map(([, control]) => clockWords(control))).toEqual([
    "no clock",
    "3 min + 2 s",
    "5 min + 3 s",
    "15 min + 10 s",
    "10 min, then 5 × 30 s",
    "3 min per turn",
    "10 min per turn",
    "3 days per turn",
  ]);
});

test("spans are told in the largest unit that is right", () => {
  expect([59_000, 61_000, 7_200_000, 86_400_000, 200_000_000].map(span)).toEqual([
    "59 s",
    "1 min",
    "2 h",
    "1 day",
    "2 days",
  ]);
});

test("a rating that may still change much is about that", () => {
  expect(rated({ rating: 1512.4, low: 1300, high: 1700, provisional: true })).toBe("about 1512");
  expect(rated(null)).toBe("");
});

test("rules that were kept and make no sense any more are the usual ones", () => {
  const found = rulesFrom({ clock: "sundial", watch: "nobody", takebacks: "own" }, 2);
  expect(found).toMatchObject({ clock: "none", watch: "", takebacks: "own", gone: "usual" });
});

test("what is asked for leaves out what does not apply", () => {
  const rules = { ...rulesFrom({ clock: "short", rated: true, gone: "wait", watch: "link" }, 2) };
  expect(rulesWish(rules, false, false)).toEqual({
    takebacks: "consent",
    confirm: false,
    chat: true,
    clock: CLOCKS.short?.[1],
  });
  expect(rulesWish(rules, true, true)).toMatchObject({ watch: "link", rated: true, gone: null });
  expect(rulesWish({ ...rules, clock: "days" }, true, true)).not.toHaveProperty("gone");
});
