import { beforeEach, describe, expect, it, vi } from "vitest";
import { daysInRow, keepDay } from "../src/lib/dailyRow";
import { me } from "../src/lib/me.svelte";
import { keepProgress, nextLesson, progressOf, shareProgress } from "../src/lib/progress.svelte";
import type { LessonProgressData, Person } from "../src/lib/types";

const ann: Person = { handle: "ann", name: "Ann", kind: "account" };
/** what the server keeps, and what it was told */
let kept: LessonProgressData[];
let told: LessonProgressData[];

beforeEach(() => {
  localStorage.clear();
  me.person = null;
  [kept, told] = [[], []];
  vi.stubGlobal("fetch", async (_path: string, { body }: { body: string }) => {
    told = (JSON.parse(body) as { lessons: LessonProgressData[] }).lessons;
    kept = [...kept.filter((old) => !told.some((one) => one.lesson === old.lesson)), ...told];
    return new Response(JSON.stringify({ lessons: kept }));
  });
});

describe("progress in lessons", () => {
  it("begins a lesson anew when it was gone through, and stays done", () => {
    keepProgress("game", "one", 2, 2);
    expect(progressOf("game", "one")).toMatchObject({ steps: 0, done: true });
    keepProgress("game", "one", 1, 2);
    expect(progressOf("game", "one")).toMatchObject({ steps: 1, done: true });
    expect(nextLesson("game", [{ id: "one" }, { id: "two" }])).toBe("two");
    expect(told).toEqual([]);
  });

  it("goes to the account that signs in, and is gone when it signs out", async () => {
    keepProgress("game", "one", 1, 3);
    kept = [{ game: "game", lesson: "two", steps: 2, done: false, at: 5 }];
    await shareProgress(ann);
    expect(kept.map((one) => one.lesson)).toEqual(["two", "one"]);
    expect(progressOf("game", "two").steps).toBe(2);
    await shareProgress(null);
    expect(progressOf("game", "one").steps).toBe(0);
    expect(progressOf("game", "two").steps).toBe(0);
  });

  it("of one account is not told to another", async () => {
    keepProgress("game", "one", 1, 3);
    await shareProgress(ann);
    kept = [];
    await shareProgress({ ...ann, handle: "bob" });
    expect(kept).toEqual([]);
  });

  it("is told to the server as it is made", async () => {
    me.person = ann;
    keepProgress("game", "one", 1, 3);
    await vi.waitFor(() => expect(told).toMatchObject([{ game: "game", lesson: "one", steps: 1, done: false }]));
  });
});

it("days in a row last until a day is missed", () => {
  localStorage.clear();
  const day = (number: number): number => Date.UTC(2026, 10, number, 12);
  const text = (number: number): string => `2026-11-${String(number).padStart(2, "0")}`;
  expect(daysInRow(day(1))).toEqual({ days: 0, today: false });
  keepDay(text(1), day(1));
  keepDay(text(1), day(1));
  keepDay(text(2), day(2));
  keepDay(text(1), day(2)); // an older puzzle counts for no day
  expect(daysInRow(day(2))).toEqual({ days: 2, today: true });
  expect(daysInRow(day(3))).toEqual({ days: 2, today: false });
  expect(daysInRow(day(4))).toEqual({ days: 0, today: false });
  keepDay(text(4), day(4));
  expect(daysInRow(day(4)).days).toBe(1);
});
