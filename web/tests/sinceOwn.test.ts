import { expect, test } from "vitest";
import { sinceOwn } from "../src/lib/moves";

const moves = (seats: readonly number[]) => seats.map((seat, ply) => ({ seat, ply }));
const plies = (seats: readonly number[], own: number) => sinceOwn(moves(seats), own).map((move) => move.ply);

test("what every other player did since one's own last move", () => {
  expect(plies([0, 1, 2], 0)).toEqual([1, 2]);
  expect(plies([0, 1, 1, 2, 2], 0)).toEqual([1, 2, 3, 4]);
  expect(plies([0, 1, 2, 0], 0)).toEqual([]);
});

test("everything before one's first move", () => {
  expect(plies([0, 1], 2)).toEqual([0, 1]);
  expect(plies([], 0)).toEqual([]);
});
