import { beforeEach, describe, expect, it } from "vitest";
import { isOn, keepBeaten, keepNext, ladderOf } from "../src/lib/ladder";
import type { GameData } from "../src/lib/types";

beforeEach(() => localStorage.clear());

const board = (size: number) => ({ title: `Board ${size}`, options: { size }, help: `Size ${size}.` });
const levels = Array.from({ length: 5 }, (_, i) => ({ number: i + 1, title: `N${i + 1}`, help: "" }));
const quickStart = { ...board(5), level: 2, ladder: [board(6), board(8)] };
const game = { name: "game", levels, quickStart } as unknown as GameData;
const place = (): [number, string, boolean] => {
  const { next, fresh } = ladderOf(game);
  return [next.level, next.board.title, fresh];
};

describe("the ladder", () => {
  it("has a board for each opponent, which grows from the first game on", () => {
    const boards = ladderOf(game).rungs.map((one) => one.board.title);
    expect(boards).toEqual(["Board 5", "Board 5", "Board 6", "Board 8", "Board 8"]);
  });

  it("leads from each win to the next opponent, and says so until they are played", () => {
    expect(place()).toEqual([2, "Board 5", false]);
    keepBeaten("game", 2, 5);
    expect(place()).toEqual([3, "Board 6", true]);
    expect(ladderOf(game).before?.name).toBe("N2");
    keepNext("game", 3);
    expect(place()).toEqual([3, "Board 6", false]);
    expect(
      ladderOf(game)
        .rungs.filter((one) => one.beaten)
        .map((one) => one.level),
    ).toEqual([2]);
  });

  it("leads past those beaten before, and ends with the strongest", () => {
    for (const level of [3, 4, 2]) keepBeaten("game", level, 5);
    expect(place()).toEqual([5, "Board 8", true]);
    keepBeaten("game", 5, 5);
    expect(place()).toEqual([5, "Board 8", false]);
  });

  it("lets the player choose anyone, in each game by itself", () => {
    keepNext("game", 1);
    expect(place()).toEqual([1, "Board 5", false]);
    expect(ladderOf({ ...game, name: "other" }).next.level).toBe(2);
  });

  it("survives what is kept of other versions, and damage", () => {
    localStorage.setItem("tercet.ladder", JSON.stringify({ game: { step: 1, won: { size: 5 } } }));
    expect(place()).toEqual([3, "Board 6", false]);
    keepNext("game", 70);
    expect(place()).toEqual([5, "Board 8", false]);
    localStorage.setItem("tercet.ladder", "no JSON");
    expect(place()).toEqual([2, "Board 5", false]);
  });

  it("knows a board by the options that it names", () => {
    expect(isOn(board(5), { size: 5, more: true })).toBe(true);
    expect(isOn(board(5), { size: 6 })).toBe(false);
  });
});
