import { describe, expect, it } from "vitest";
import { answerTo, turnsOf, type KeyMoment } from "../src/analysis/keyMoments.svelte";
import { asGood, betterTurn } from "../src/analysis/momentTry.svelte";

const move = (seat: number | null, begins = true) => ({ seat, begins });

describe("turns of a game", () => {
  it("puts the actions of a turn together and counts rounds, as the list of moves does", () => {
    expect(turnsOf([move(0), move(1), move(1, false), move(0)])).toEqual([
      { player: 0, from: 0, to: 1, number: 1 },
      { player: 1, from: 1, to: 3, number: 1 },
      { player: 0, from: 3, to: 4, number: 2 },
    ]);
  });
  it("gives the number of the list of moves where another player began", () => {
    expect(turnsOf([move(1), move(0), move(1)]).map((turn) => turn.number)).toEqual([1, 2, 2]);
  });
  it("counts no answer within another's turn", () => {
    const numbers = turnsOf([move(0), move(1, false), move(1), move(2)]).map((turn) => turn.number);
    expect(numbers).toEqual([1, 1, 1, 1]);
  });
});

describe("the answer to a turn", () => {
  const played = [0, 1, 2, 0, 1, 2, 1, 2, 1].map((seat, ply) => ({ ...move(seat), ply }));
  const plies = (to: number) => answerTo(played, { player: 0, to }).map((one) => one.ply);

  it("ends with the player's next move", () => expect(plies(1)).toEqual([1, 2]));
  it("has one turn of each other player where the player was put out: it told all the rest of the game", () =>
    expect(plies(4)).toEqual([4, 5]));
  it("has the sacrifice that belongs to a turn", () => {
    const moves = [move(0), move(1), move(2, false), move(2), move(1)];
    expect(answerTo(moves, { player: 0, to: 1 })).toEqual([move(1), move(2, false), move(2)]);
  });
});

describe("a key moment tried again", () => {
  const judged = (mine: number) => ({ scores: [mine, 1 - mine], proved: false });

  it("takes any turn as good as the engine's", () => {
    expect(asGood(0, judged(0.8), judged(0.76))).toBe(true);
    expect(asGood(0, judged(0.8), judged(0.6))).toBe(false);
    expect(asGood(1, judged(0.8), judged(0.6))).toBe(true);
  });

  it("knows which actions of the best line are one's own turn", () => {
    const best = { pv: ["a", "b", "c", "d"], seats: [1, 1, 0, 1] };
    expect(betterTurn({ player: 1, best } as unknown as KeyMoment)).toEqual(["a", "b"]);
    expect(betterTurn({ player: 0, best } as unknown as KeyMoment)).toEqual([]);
  });
});
