import { beforeEach, describe, expect, it } from "vitest";
import { keepStep, keepWin, ladderOf } from "../src/lib/ladder";
import type { GameData } from "../src/lib/types";

beforeEach(() => localStorage.clear());

const board = (size: number) => ({ title: `Board ${size}`, options: { size }, help: `Next: ${size}.` });
const game = { name: "game", quickStart: { ...board(5), ladder: [board(6), board(8)] } } as unknown as GameData;
const place = (): [number, boolean] => {
  const { step, fresh } = ladderOf(game);
  return [step, fresh];
};

describe("the boards of Play now", () => {
  it("begin with the small one, and each win on the board leads one step up", () => {
    expect(ladderOf(game).boards.map(({ title }) => title)).toEqual(["Board 5", "Board 6", "Board 8"]);
    expect(place()).toEqual([0, false]);
    keepWin("game", { size: 5, more: true });
    expect(place()).toEqual([1, true]);
    keepStep("game", 1);
    expect(place()).toEqual([1, false]);
    keepWin("game", { size: 6 });
    expect(place()).toEqual([2, true]);
    keepStep("game", 2);
    keepWin("game", { size: 8 });
    expect(place()).toEqual([2, false]);
  });

  it("stay where a win was on another board, or the player stays", () => {
    keepWin("game", { size: 8 });
    expect(place()).toEqual([0, false]);
    keepWin("game", { size: 5 });
    keepStep("game", 0);
    expect(place()).toEqual([0, false]);
    expect(ladderOf({ ...game, name: "other" })).toMatchObject({ step: 0, fresh: false });
  });

  it("survive what is kept of a game that has fewer steps now", () => {
    keepStep("game", 7);
    expect(place()).toEqual([2, false]);
    localStorage.setItem("tercet.ladder", "no JSON");
    expect(place()).toEqual([0, false]);
  });
});
