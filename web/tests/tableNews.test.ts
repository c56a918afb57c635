import { expect, test } from "vitest";
import { newsOf, refusalWords } from "../src/table/tableNews";
import type { TableEvent } from "../src/lib/types";

const name = (seat: number): string => ["North", "South"][seat] ?? "";
const side = (seat: number): string => ["White", "Black"][seat] ?? "";
const mine = (seat: number): boolean => seat === 0;
/** An event as far as its news depend on it. */
const event = (found: Record<string, unknown>) =>
  ({
    type: "event",
    number: 1,
    state: { seats: [{ name: "Ann" }, { name: null }] },
    ...found,
  }) as unknown as TableEvent;
const news = (found: Record<string, unknown>) => newsOf(event(found), name, side, mine);

test("offers of others are heard, one's own are not", () => {
  expect(news({ kind: "offer", what: "draw", seat: 1 })).toEqual({ notice: "South offers a draw.", chime: true });
  expect(news({ kind: "offer", what: "rematch", seat: 0 })).toEqual({ notice: "You offered a rematch.", chime: false });
});

test("a resignation names the players who play on", () => {
  const three = ["White", "Black", "Red"];
  const resigned = (seat: number, state: Record<string, unknown>): string | undefined =>
    newsOf(event({ kind: "resign", seat, state: { seats: three, ...state } }), (one) => three[one] ?? "", side, mine)
      ?.notice;
  expect(resigned(1, { over: false, out: [1] })).toBe("Black resigned. White and Red play on.");
  expect(resigned(0, { over: false, out: [0] })).toBe("You resigned. Black and Red play on.");
  expect(resigned(1, { over: true, out: [] })).toBe("Black resigned.");
  expect(resigned(0, { over: true, out: [] })).toBe("You resigned.");
});

test("a new player is named by the event, the seat, or not at all", () => {
  expect(news({ kind: "sit", seat: 1, name: "Ben" })?.notice).toBe("Ben joined as Black.");
  expect(news({ kind: "sit", seat: 0 })?.notice).toBe("Ann joined as White.");
  expect(news({ kind: "sit", seat: 1 })?.notice).toBe("A player joined as Black.");
});

test("a game that is called off says why", () => {
  const why = (reason?: string) => news({ kind: "abort", reason })?.notice;
  expect(why("expired")).toBe("No one joined, so the game was aborted.");
  expect(why()).toBe("Game aborted. It doesn't count.");
});

test("a claim says who goes on", () => {
  expect(news({ kind: "claim", what: "engine", seat: 1 })?.notice).toBe("The computer takes over for South.");
  expect(news({ kind: "claim", what: "win", seat: 1 })?.notice).toBe("South left.");
});

test("actions are told elsewhere", () => expect(news({ kind: "action", seat: 0 })).toBeNull());

test("refusals are sentences", () => {
  expect(refusalWords("stale-ply", "ply: is 3")).toBe("The game has moved on. Check the position and try again.");
  expect(refusalWords("other", "This seat is taken.")).toBe("This seat is taken.");
});
