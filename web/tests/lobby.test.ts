import { expect, test } from "vitest";
import { lobbyAfter } from "../src/lobby/lobby";
import type { LobbyData } from "../src/lib/types";

const open = (id: string, at: number) => ({ id, at }) as unknown as LobbyData["open"][number];
const live = (id: string, ply: number) => ({ id, ply }) as unknown as LobbyData["live"][number];

test("the lobby follows what the server says has changed", () => {
  const first = lobbyAfter(null, {
    type: "lobby",
    open: [open("a", 1), open("b", 2)],
    live: [live("c", 3)],
    total: 9,
    page: 1,
    online: 4,
    seeking: [],
  });
  const people = { online: 4, seeking: [] };
  expect(first).toEqual({ open: [open("a", 1), open("b", 2)], live: [live("c", 3)], total: 9, page: 1, ...people });
  const seeking = [{ game: "sanqi", time: "5+3", rated: false, people: 1 }];
  const then = lobbyAfter(first, {
    type: "lobby-changes",
    total: 2,
    page: 0,
    online: 5,
    seeking,
    open: ["d", "a"],
    live: ["c"],
    openChanged: [open("d", 4)],
    liveChanged: [live("c", 5)],
  });
  expect(then).toEqual({
    open: [open("d", 4), open("a", 1)],
    live: [live("c", 5)],
    total: 2,
    page: 0,
    online: 5,
    seeking,
  });
  expect(lobbyAfter(then, { type: "pong" })).toBeNull();
});
