import { expect, test } from "vitest";
import { Played, type Job } from "../src/dial/lots";

const NONE = { usual: [], changed: [] };
/** A lot that says who played it. */
const lot = ({ first, seed }: Job, at: number): number[] => [seed, first + at];
const lots = (job: Job): number[][] => Array.from({ length: job.count }, (_, at) => lot(job, at));

test("lots that are played at once are put in order", () => {
  const played = new Played(NONE, [[0, 7]]);
  const jobs = [1, 2, 3, 4].map((size) => played.next(size, 100) ?? expect.unreachable());
  expect(jobs.map(({ side, first, count }) => [side, first, count])).toEqual([
    ["changed", 0, 1],
    ["usual", 0, 2],
    ["changed", 1, 3],
    ["usual", 2, 4],
  ]);
  for (const job of jobs.toReversed()) played.take(job, lots(job));
  expect(played.lots.usual.map(([, number]) => number)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(played.lots.changed.map(([, number]) => number)).toEqual([0, 1, 2, 3]);
});

test("a job that failed is done again, and no job goes beyond the limit", () => {
  const played = new Played({ usual: [[0, 0]], changed: [[0, 0]] }, [[0, 7]]);
  const job = played.next(5, 3) ?? expect.unreachable();
  expect(job.count).toBe(2);
  played.giveBack(job);
  expect(played.next(1, 3)).toBe(job);
  expect(played.next(5, 3)?.side).toBe("usual");
  expect(played.next(5, 3)).toBeNull();
});

test("each part of a study has a seed of its own", () => {
  const parts = [
    [0, 7],
    [3, 8],
  ] as const;
  const played = new Played(NONE, parts);
  for (let job = played.next(5, 6); job; job = played.next(5, 6)) played.take(job, lots(job));
  const seeds = [7, 7, 7, 8, 8, 8];
  expect(played.lots.changed.map(([seed]) => seed)).toEqual(seeds);
  expect(played.lots.usual.map(([seed]) => seed)).toEqual(seeds);
  expect([0, 2, 3, 9].map((first) => played.job("usual", first, 1).seed)).toEqual([7, 7, 8, 8]);
});
