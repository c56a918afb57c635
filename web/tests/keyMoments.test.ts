import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answerTo, KeyMoments, turnsOf, type KeyMoment } from "../src/analysis/keyMoments.svelte";
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

/** A game of 80 turns in which the turns after 30 and 70 actions lost chances; each position is called by its number. */
const COSTLY = [30, 70];
const chances = (ply: number): number => 0.6 - 0.2 * COSTLY.filter((from) => from < ply).length;
const nodes = [...Array(80).keys()].map((i) => ({ seat: i % 2, begins: true, text: `${i}`, position: `${i + 1}` }));
const view = { outcome: { scores: [0, 1] } };

vi.mock("../src/lib/api", () => ({
  api: { tableRecord: () => Promise.resolve(""), reach: () => Promise.resolve({ nodes, view }) },
  ask: () => Promise.resolve({ moves: [], start: "0" }),
}));

/** the engine's turn at each position, where it says so, and milliseconds until it has started */
const best = new Map<string, string[]>();
let starts = 0;

/** An engine that takes half a second for a first result, and reaches few nodes. */
class SlowEngine {
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  readyState = 0;
  constructor() {
    queueMicrotask(() => {
      this.readyState = 1;
      this.onopen?.();
    });
  }
  send(text: string): void {
    const { id, position, movetime } = JSON.parse(text) as { id: string; position: string; movetime: number };
    expect(movetime).toBe(Math.round(movetime));
    const tell = (message: object): void => this.onmessage?.({ data: JSON.stringify({ id, ...message }) });
    const mine = chances(Number(position));
    const lines = [{ scores: [mine, 1 - mine], proved: false, pv: best.get(position) ?? [], seats: [0] }];
    const wait = starts;
    starts = 0;
    setTimeout(
      () => {
        if (position !== "80") tell({ type: "info", nodes: 10, seconds: movetime / 1000, lines });
        tell({ type: "done" });
      },
      wait + Math.max(500, movetime),
    );
  }
  close(): void {
    return;
  }
}

describe("on a slow machine", () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal("WebSocket", Object.assign(SlowEngine, { OPEN: 1 }));
    vi.stubGlobal("location", { protocol: "http:", href: "http://here/" });
    vi.stubGlobal("addEventListener", () => undefined);
    vi.stubGlobal("removeEventListener", () => undefined);
    const nothing = (): null => null;
    vi.stubGlobal("document", { addEventListener: nothing, removeEventListener: nothing, querySelector: nothing });
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it("there is a first key moment within 20 seconds, and the others follow", async () => {
    const moments = new KeyMoments("game");
    const done = moments.search([0]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(moments.found?.map(({ from, to, number }) => [from, to, number])).toEqual([[70, 71, 36]]);
    expect(moments.running).toBe(true);
    await vi.advanceTimersByTimeAsync(3_600_000);
    await done;
    expect([moments.fault, moments.running]).toEqual(["", false]);
    expect(moments.found?.map((moment) => moment.from)).toEqual(COSTLY);
  });

  it("the turn that the engine would have played is none, whatever the next search says", async () => {
    best.set("70", ["70"]);
    const moments = new KeyMoments("game");
    const done = moments.search([0]);
    await vi.advanceTimersByTimeAsync(3_600_000);
    await done;
    expect(moments.found?.map((moment) => moment.from)).toEqual([30]);
    best.clear();
  });

  it("it is said that the engine starts, until it answers", async () => {
    starts = 15_000;
    const moments = new KeyMoments("game");
    void moments.search([0]);
    await vi.advanceTimersByTimeAsync(14_000);
    expect([moments.running, moments.starting]).toEqual([true, true]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([moments.running, moments.starting]).toEqual([true, false]);
    moments.stop();
  });

  it("there is an answer within 20 seconds where no turn was costly", async () => {
    const moments = new KeyMoments("game");
    void moments.search([1]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect([moments.found, moments.running]).toEqual([[], true]);
    moments.stop();
  });

  it("the turn that lost the game is known within 20 seconds", async () => {
    const moments = new KeyMoments("game");
    const done = moments.searchBack(0);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(moments.lost?.from).toBe(70);
    await vi.advanceTimersByTimeAsync(3_600_000);
    await done;
    expect([moments.lost?.from, moments.fault]).toEqual([70, ""]);
  });
});
