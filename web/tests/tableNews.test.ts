import { expect, test } from "vitest";
import { newsOf, refusalWords } from "../src/lib/tableNews";
import type { TableEvent } from "../src/lib/types";

const name = (seat: number): string => ["North", "South"][seat] ?? "";
const mine = (seat: number): boolean => seat === 0;
/** An event as far as its news depend on it. */
const event = (found: Record<string, unknown>) =>
  ({
    type: "event",
    number: 1,
    state: { seats: [{ name: "Ann" }, { name: null }] },
    ...found,
  }) as unknown as TableEvent;
const news = (found: Record<string, unknown>) => newsOf(event(found), name, mine);

test("offers of others are heard, one's own are not", () => {
  expect(news({ kind: "offer", what: "draw", seat: 1 })).toEqual({ notice: "South offers a draw.", chime: true });
  expect(news({ kind: "offer", what: "rematch", seat: 0 })?.chime).toBe(false);
});

test("whoever gives up a game that goes on is told of with those who play on", () => {
  const three = ["White", "Black", "Red"];
  const told = (seat: number, state: Record<string, unknown>): string | undefined =>
    newsOf(event({ kind: "resign", seat, state: { seats: three, ...state } }), (one) => three[one] ?? "", mine)?.notice;
  expect(told(1, { over: false, out: [1] })).toBe("Black resigns; White and Red play on.");
  expect(told(0, { over: false, out: [0] })).toBe("You have resigned; Black and Red play on.");
  expect(told(1, { over: true, out: [] })).toBe("Black resigns.");
});

test("whoever takes a seat is named as well as he is known", () => {
  expect(news({ kind: "sit", seat: 1, name: "Ben" })?.notice).toBe("Ben takes the seat of South.");
  expect(news({ kind: "sit", seat: 0 })?.notice).toBe("Ann takes the seat of North.");
  expect(news({ kind: "sit", seat: 1 })?.notice).toBe("Somebody takes the seat of South.");
});

test("a game that is called off says why", () => {
  const why = (reason?: string) => news({ kind: "abort", reason })?.notice;
  expect(why("expired")).toBe("Nobody came; the game is called off.");
  expect(why()).toBe("The game is called off: as if it had not been played.");
});

test("a claim says who goes on", () => {
  expect(news({ kind: "claim", what: "engine", seat: 1 })?.notice).toBe("An engine plays on for South.");
  expect(news({ kind: "claim", what: "win", seat: 1 })?.notice).toBe("South has gone.");
});

test("actions are told elsewhere", () => expect(news({ kind: "action", seat: 0 })).toBeNull());

test("refusals are sentences", () => {
  expect(refusalWords("stale-ply", "ply: is 3")).toBe("The game had gone on meanwhile.");
  expect(refusalWords("other", "it is not possible.")).toBe("It is not possible.");
});
