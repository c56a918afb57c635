import { expect, test } from "vitest";
import { endOf } from "../src/lib/seats";

const PLAYERS = ["White", "Black", "Red"];
const over = (winners: number[], aborted = false) => ({ over: true, aborted, view: { outcome: { winners } } });

test("a game that one played is remembered with how it ended for oneself", () => {
  expect(endOf([1], PLAYERS, { ...over([1]), over: false })).toBeNull();
  expect(endOf([1], PLAYERS, over([1]))).toEqual({ how: "won" });
  expect(endOf([1], PLAYERS, over([0]))).toEqual({ how: "lost" });
  expect(endOf([1], PLAYERS, over([0, 1, 2]))).toEqual({ how: "drawn" });
  expect(endOf([1], PLAYERS, over([], true))).toEqual({ how: "off" });
});

test("a game that one watched, or played on all sides, is remembered with who won", () => {
  expect(endOf([], PLAYERS, over([0, 2]))).toEqual({ how: "wins", names: ["White", "Red"] });
  expect(endOf([0, 1, 2], PLAYERS, over([1]))).toEqual({ how: "wins", names: ["Black"] });
});
