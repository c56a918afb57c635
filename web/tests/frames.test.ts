import { expect, test } from "vitest";
import { framesOf } from "../src/board/frames";
import { ownable } from "../src/board/state";
import type { Preview } from "../src/lib/types";
import { art, piece, view } from "./boards";

test("each position follows from the one before and what a move changes", () => {
  const preview = {
    table: {},
    view: view([], { pieces: [piece("a1", "X"), piece("b1", "X")] }),
    line: [
      { pieces: [piece("c1", "X")], gone: ["a1"], marks: [], events: [["a1", "c1"]] },
      { pieces: [piece("c1", "Y")], gone: [], marks: [{ kind: "win", cells: ["c1"], says: "" }], events: [["c1"]] },
    ],
  } as unknown as Preview;
  const frames = framesOf(preview);
  expect(frames.map((frame) => frame.pieces.map((one) => one.cell + one.symbol).join(" "))).toEqual([
    "a1X b1X",
    "b1X c1X",
    "b1X c1Y",
  ]);
  expect(frames[1]?.events).toEqual([{ cells: ["a1", "c1"] }]);
  expect(frames[2]?.marks).toHaveLength(1);
});

test("where players share a tone nobody owns a piece", () => {
  expect(ownable({ ...art, players: art.players.map((player) => ({ ...player, tone: "ink" })) })).toBe(false);
  expect(ownable({ ...art, players: art.players.map((player, i) => ({ ...player, tone: `tone${i}` })) })).toBe(true);
});
