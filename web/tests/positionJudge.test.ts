import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PositionJudge } from "../src/analysis/positionJudge";

interface Go {
  id: string;
  movetime: number;
}
interface Looked {
  nodes: number;
  seconds?: number;
  proved?: boolean;
}
/** What an engine finds in the time that it is given. */
let engine: (movetime: number) => Looked | null;
let asked: number[] = [];
/** how many questions are lost with their connection */
let lost = 0;

class Socket {
  static readonly OPEN = 1;
  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  constructor() {
    queueMicrotask(() => {
      this.readyState = 1;
      this.onopen?.();
    });
  }
  send(text: string): void {
    const { id, movetime } = JSON.parse(text) as Go;
    asked.push(movetime);
    if (lost && lost--) return this.close();
    const found = engine(movetime);
    const tell = (message: object): void => this.onmessage?.({ data: JSON.stringify({ id, ...message }) });
    queueMicrotask(() => {
      if (found) {
        const line = { scores: [movetime, 0], proved: found.proved ?? false };
        tell({ type: "info", nodes: found.nodes, seconds: found.seconds ?? movetime / 1000, lines: [line] });
      }
      tell({ type: "done", best: found ? "a" : null });
    });
  }
  close(): void {
    this.readyState = 3;
    this.onclose?.();
  }
}

beforeEach(() => {
  asked = [];
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("document", { addEventListener: () => undefined, querySelector: () => null });
  vi.stubGlobal("location", { protocol: "http:", href: "http://here/" });
});
afterEach(() => vi.unstubAllGlobals());

test("an engine that had few nodes on a busy machine gets more time, and no end of it", async () => {
  engine = (movetime) => ({ nodes: movetime });
  expect((await new PositionJudge().best("p", 300, 3))?.scores).toEqual([1200, 0]);
  expect(asked).toEqual([300, 600, 1200]);
  asked = [];
  engine = () => ({ nodes: 1 });
  await new PositionJudge().best("p", 300, 3);
  expect(asked).toEqual([300, 600, 1200, 2400]);
});

test("more time is for who asks for it", async () => {
  engine = () => ({ nodes: 1 });
  await new PositionJudge().best("p", 300);
  expect(asked).toEqual([300]);
});

test("a question is asked again when its connection was lost", async () => {
  vi.useFakeTimers();
  [engine, lost] = [() => ({ nodes: 5000 }), 2];
  const line = new PositionJudge().best("p", 300);
  await vi.advanceTimersByTimeAsync(5000);
  expect((await line)?.scores).toEqual([300, 0]);
  expect(asked).toEqual([300, 300, 300]);
  vi.useRealTimers();
});

test("many nodes, a proof, an early end and the end of the game are enough", async () => {
  for (const found of [{ nodes: 5000 }, { nodes: 1, proved: true }, { nodes: 12, seconds: 0.01 }, null]) {
    asked = [];
    engine = () => found;
    const line = await new PositionJudge().best("p", 300, 3);
    expect(line?.scores ?? null).toEqual(found && [300, 0]);
    expect(asked).toEqual([300]);
  }
});
