import { expect, test } from "vitest";
import { gaveAway, isOpen, percent, swing } from "../src/analysis/chance";

test("nothing but what is proved is said to be certain", () => {
  expect(percent(1)).toBe("99 %");
  expect(percent(0.9999)).toBe("99 %");
  expect(percent(0)).toBe("1 %");
  expect(percent(1, true)).toBe("100 %");
  expect(percent(0, true)).toBe("0 %");
  expect(percent(0.456)).toBe("46 %");
});

test("a turn is marked by what it cost its own player", () => {
  const of = (first: number, proved = false) => ({ scores: [first, 1 - first], proved });
  expect(swing(0, of(0.6), of(0.55))).toBeNull();
  expect(swing(0, of(0.6), of(0.4))?.sign).toBe("?");
  expect(swing(0, of(0.9), of(0.2))?.sign).toBe("??");
  expect(swing(1, of(0.9), of(0.2))).toBeNull();
  expect(swing(1, of(0.2), of(0.9))?.sign).toBe("??");
});

test("to let go of a proved win is marked, however good the rest is", () => {
  const won = { scores: [1, 0], proved: true };
  expect(swing(0, won, { scores: [0.97, 0.03], proved: false })?.sign).toBe("?");
  expect(swing(0, won, won)).toBeNull();
  expect(swing(0, { ...won, proved: false }, { scores: [0.97, 0.03], proved: false })).toBeNull();
});

test("a turn after which the game is proved to be lost gave it away, however bad it stood", () => {
  const at = (mine: number, proved: boolean) => ({ scores: [mine, 1 - mine], proved });
  expect(gaveAway(0, at(0.07, false), at(0, true))).toMatchObject({ loss: 0.07, sign: "?" });
  expect(gaveAway(0, at(0.01, false), at(0, true)), "the game was lost before").toBe(null);
  expect(gaveAway(0, at(0, true), at(0, true))).toBe(null);
  expect(gaveAway(0, at(0.4, false), at(0.3, false))).toBe(null);
  expect(gaveAway(1, at(0.07, false), at(0, true))).toBe(null);
});

test("a game with less than a third of an even share was lost before", () => {
  expect(isOpen(0, { scores: [0.2, 0.8], proved: false })).toBe(true);
  expect(isOpen(0, { scores: [0.15, 0.85], proved: false })).toBe(false);
  expect(isOpen(0, { scores: [0.15, 0.5, 0.35], proved: false }), "an even share of three is a third").toBe(true);
});

test("what a turn cost is taken from one search, in which the best turn costs nothing", () => {
  const line = (mine: number, ...pv: string[]) => ({
    scores: [mine, 1 - mine],
    proved: false,
    pv,
    seats: pv.map((text) => Number(text === "reply")),
  });
  const lines = [line(0.6, "a", "b", "reply"), line(0.58, "c")];
  const before = { scores: [0.6, 0.4], proved: false, lines };
  const worse = { scores: [0.3, 0.7], proved: false };
  expect(swing(0, before, worse, ["a", "b"])).toBeNull();
  expect(swing(0, before, worse, ["c"])).toBeNull();
  expect(swing(0, before, worse, ["a"]), "another turn begins alike").toMatchObject({ after: worse, sign: "??" });
  expect(swing(0, before, worse, ["d"])).toMatchObject({ after: worse, sign: "??" });
  const lost = { scores: [0, 1], proved: true };
  expect(swing(0, before, lost, ["c"]), "a proof is more than an estimate").toMatchObject({ after: lost });
  expect([swing(0, before, lost, ["a", "b"]), gaveAway(0, before, lost, ["a", "b"])]).toEqual([null, null]);
});
