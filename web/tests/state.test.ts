import { describe, expect, test } from "vitest";
import { badgeOf, boardState, lookOf, type BoardInput } from "../src/board/state";
import { art, piece } from "./boards";

const state = (more: Partial<BoardInput> = {}) =>
  boardState({ art, size: 16, pieces: [], marks: [], last: [], legal: new Map(), chosen: [], ...more });
const legal = (...cells: string[]) => new Map(cells.map((cell) => [cell, ["play"]]));

describe("the label of a cell", () => {
  test("says what stands there as the game does, and whose it is where the game has not said it", () => {
    const { label } = state({ pieces: [piece("a1", "X", { owner: 1, flags: ["asleep"] })] });
    expect(label("a1")).toBe("a1: South's piece X");
    const shown = state({ pieces: [piece("a1", "X", { owner: 1, says: "South's X, asleep" })] });
    expect(shown.label("a1")).toBe("a1: South's X, asleep");
    const disc = state({ pieces: [piece("a1", "X", { owner: 1, says: "south disc" })] });
    expect(disc.label("a1")).toBe("a1: south disc");
    expect(label("b1")).toBe("b1: empty");
  });
  test("says what is marked, last, chosen and legal, in this order", () => {
    const { label } = state({
      marks: [{ kind: "taboo", cells: ["a1"], says: "may not be played" }],
      last: ["a1"],
      chosen: ["a1"],
      legal: legal("a1"),
    });
    expect(label("a1")).toBe("a1: empty, may not be played, last move, selected, legal");
  });
});

test("marks look as the game says, and are areas unless they are rings or not seen", () => {
  const marks = ["win", "taboo", "quiet", "last"].map((kind) => ({ kind, cells: ["a1"], says: "" }));
  const shown = state({ marks });
  expect(shown.areas).toEqual([{ look: "win", cells: ["a1"] }]);
  expect(shown.rings).toEqual([{ cell: "a1", last: true, blocked: true }]);
  expect(lookOf(art, "taboo")).toBe("blocked");
  expect(lookOf(art, "danger")).toBe("danger");
});

test("what is marked twice over, by a hint and by what is explored, is one area", () => {
  const marks = ["one", "two"].map((says) => ({ kind: "win", cells: ["a1", "b1"], says }));
  expect(state({ marks }).areas).toEqual([{ look: "win", cells: ["a1", "b1"] }]);
  expect(state({ marks }).label("b1")).toBe("b1: empty, one, two");
});

test("a flag without a badge of its own is a pennant", () => {
  expect(badgeOf(art, "asleep")).toBe("cross");
  expect(badgeOf(art, "other")).toBe("pennant");
});

describe("dots", () => {
  test("tell bare cells from pieces, and goals once something is chosen", () => {
    const pieces = [piece("a1"), piece("b1")];
    expect(state({ pieces, legal: legal("a1", "c1") }).dots).toEqual([
      { cell: "a1", kind: "piece" },
      { cell: "c1", kind: "place" },
    ]);
    expect(state({ pieces, legal: legal("b1", "c1"), chosen: ["a1"] }).dots).toEqual([
      { cell: "b1", kind: "goal" },
      { cell: "c1", kind: "bare" },
    ]);
  });
  test("tell where a new piece may be put from where one may move, drawn and read", () => {
    const pieces = [piece("a1")];
    const shown = state({ pieces, legal: legal("c1") });
    expect(shown.dots).toEqual([{ cell: "c1", kind: "place" }]);
    expect(shown.label("c1")).toBe("c1: empty, a piece can be placed here");
    const moving = state({ pieces, legal: legal("c1"), chosen: ["a1"] });
    expect(moving.dots).toEqual([{ cell: "c1", kind: "bare" }]);
    expect(moving.label("c1")).toBe("c1: empty, legal");
  });
  test("say nothing of bare cells where all of them are legal", () => {
    const pieces = [piece("a1"), piece("b1")];
    expect(state({ size: 4, pieces, legal: legal("a1", "c1", "d1") }).dots).toEqual([{ cell: "a1", kind: "piece" }]);
  });
  test("say nothing of what is nobody's where all of it is legal", () => {
    const pieces = [piece("a1", "X", { owner: 1 }), piece("b1"), piece("c1")];
    const own = { ...art, players: art.players.map((player, i) => ({ ...player, tone: i ? "paper" : "ink" })) };
    expect(state({ art: own, size: 3, pieces, legal: legal("b1", "c1") }).dots).toEqual([]);
    expect(state({ art: own, size: 3, pieces, legal: legal("b1") }).dots).toEqual([{ cell: "b1", kind: "piece" }]);
  });
  test("are left out where all cells are legal, and on chosen ones", () => {
    expect(state({ size: 2, legal: legal("a1", "b1") }).dots).toEqual([]);
    expect(state({ legal: legal("a1", "c1"), unmarked: new Set(["a1", "c1"]) }).dots).toEqual([]);
    expect(state({ legal: legal("a1"), chosen: ["a1"] }).dots).toEqual([]);
  });
  test("are quiet where nearly all cells are legal", () => {
    const many = legal(...Array.from({ length: 30 }, (_, i) => `a${i}`));
    expect(state({ size: 40, legal: many }).broad).toBe(true);
    expect(state({ size: 100, legal: many }).broad).toBe(false);
  });
});
