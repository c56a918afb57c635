import { expect, test } from "vitest";
import { counted, countedAll, NONE, numberText, linesOf, roundsOf } from "../src/analysis/numbering";

const move = (seat: number | null, begins = true) => ({ seat, begins });
const numbers = (moves: ReturnType<typeof move>[]) => {
  let count = NONE;
  return moves.map((one) => {
    const now = counted(count, one);
    count = now;
    return numberText(now, false);
  });
};

test("two take turns in a round", () => {
  expect(numbers([move(0), move(1), move(0), move(1)])).toEqual(["1.", "", "2.", ""]);
});

test("a turn of several moves has one number", () => {
  expect(numbers([move(0), move(0, false), move(1), move(0), move(0, false)])).toEqual(["1.", "", "", "2.", ""]);
});

test("a round goes on without who is out, and the second may begin", () => {
  expect(numbers([move(0), move(1), move(2), move(1), move(2), move(1)])).toEqual(["1.", "", "", "2.", "", "3."]);
  expect(numbers([move(1), move(0), move(1)])).toEqual(["1.", "2.", ""]);
});

test("one alone has a round for each turn, and what is nobody's counts nothing", () => {
  expect(numbers([move(0), move(0), move(null), move(0)])).toEqual(["1.", "2.", "", "3."]);
});

test("behind a bracket the number is repeated with dots", () => {
  const count = countedAll([move(0)]);
  expect(numberText(counted(count, move(1)), true)).toBe("1…");
  expect(numberText(counted(NONE, move(0)), true)).toBe("1.");
});

test("an action that begins no turn stands in the turn before it, whoever made it", () => {
  const rounds = roundsOf([move(0), move(2, false), move(1), move(2), move(0)] as { seat: number; begins: boolean }[]);
  expect(rounds.map((round) => round.turns.map((turn) => turn.moves.map((one) => one.seat)))).toEqual([
    [[0, 2], [1], [2]],
    [[0]],
  ]);
  expect(rounds.map((round) => round.number)).toEqual([1, 2]);
});

test("turn by turn: a round is over when a player who moved in it moves again", () => {
  const seats = [0, 1, 1, 0, 0, 1];
  const moves = seats.map((seat) => ({ seat, begins: true }));
  expect(linesOf(moves).map((turn) => `${turn.number} ${turn.seat}`)).toEqual([
    "1 0",
    "1 1",
    "2 1",
    "2 0",
    "3 0",
    "3 1",
  ]);
});
