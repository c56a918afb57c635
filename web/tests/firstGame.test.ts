import { beforeEach, describe, expect, it } from "vitest";
import {
  beginFirstGame,
  endFirstGame,
  guideAgain,
  guideOnwards,
  isGuided,
  isOnwards,
  keepAnswered,
  keepSeen,
  seenOf,
} from "../src/lessons/firstGame";
import { progressOf } from "../src/lib/progress.svelte";
import { remember } from "../src/lib/seats";

beforeEach(() => localStorage.clear());

describe("a first game", () => {
  it("is guided at the table that was opened for it, and there alone", () => {
    beginFirstGame("game", "Game", "one");
    expect(isGuided("game", "one")).toBe(true);
    expect(isGuided("game", "two")).toBe(false);
    expect(isGuided("other", "one")).toBe(false);
  });

  it("is not guided for whoever has finished a game of it", () => {
    remember({ id: "old", title: "Game", seats: [0], over: true });
    beginFirstGame("game", "Game", "one");
    expect(isGuided("game", "one")).toBe(false);
    remember({ id: "old", title: "Other", seats: [0], over: true });
    beginFirstGame("game", "Game", "one");
    expect(isGuided("game", "one")).toBe(true);
  });

  it("tells nothing twice, in another table either", () => {
    beginFirstGame("game", "Game", "one");
    keepSeen("game", "start", 3);
    keepAnswered("game");
    beginFirstGame("game", "Game", "two");
    expect(seenOf("game")).toEqual(["start"]);
    expect(seenOf("other")).toEqual([]);
    expect(progressOf("game", "first-game")).toMatchObject({ steps: 1, done: false });
  });

  it("shows ideas again if the table was left without a move", () => {
    beginFirstGame("game", "Game", "one");
    keepSeen("game", "start", 3);
    keepSeen("game", "next", 3);
    expect(seenOf("game")).toEqual(["start", "next"]);
    beginFirstGame("game", "Game", "two");
    expect(seenOf("game")).toEqual([]);
  });

  it("goes on while the last idea is told, and is over for good when it is put away", () => {
    beginFirstGame("game", "Game", "one");
    keepSeen("game", "start", 1);
    expect(isGuided("game", "one")).toBe(true);
    endFirstGame("game");
    expect(isGuided("game", "one")).toBe(false);
    beginFirstGame("game", "Game", "two");
    expect(isGuided("game", "two")).toBe(false);
  });

  it("is guided on where a turn of it is tried again, as often as it is lost", () => {
    beginFirstGame("game", "Game", "one");
    keepSeen("game", "start", 3);
    keepAnswered("game");
    keepAnswered("game"); // the other's move
    for (const [from, table] of [
      ["one", "two"],
      ["two", "three"],
    ] as const) {
      keepSeen("game", "warning", 3);
      keepAnswered("game");
      keepAnswered("game");
      expect(seenOf("game")).toEqual(["start", "warning"]);
      endFirstGame("game"); // lost, in spite of the warning
      expect(isGuided("game", from)).toBe(false);
      guideAgain("game", from, table);
      expect(isGuided("game", table)).toBe(true);
      expect(seenOf("game")).toEqual(["start"]);
    }
    guideAgain("game", "another", "four");
    expect(isGuided("game", "four")).toBe(false);
  });

  it("is not guided on where it was put away", () => {
    beginFirstGame("game", "Game", "one");
    endFirstGame("game", true);
    guideAgain("game", "one", "two");
    expect(isGuided("game", "two")).toBe(false);
  });

  it("speaks of what is new against the next opponent, to whoever was guided", () => {
    guideOnwards("game", "one");
    expect(isGuided("game", "one"), "who was never guided").toBe(false);
    beginFirstGame("game", "Game", "one");
    keepSeen("game", "start", 3);
    keepAnswered("game");
    guideOnwards("game", "two");
    expect([isGuided("game", "two"), isOnwards("game")], "not ended: all of it").toEqual([true, false]);
    endFirstGame("game");
    guideOnwards("game", "three");
    expect([isGuided("game", "three"), isOnwards("game")]).toEqual([true, true]);
    expect(seenOf("game")).toEqual(["start"]);
    endFirstGame("game", true);
    guideOnwards("game", "four");
    expect(isGuided("game", "four"), "closed for good").toBe(false);
  });
});
