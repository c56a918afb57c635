import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Live, type Listener } from "../src/table/live";

class Socket {
  static readonly OPEN = 1;
  static readonly made: Socket[] = [];
  static readonly urls: string[] = [];
  readyState = 1;
  sent: { type: string; id: string; number?: number }[] = [];
  onopen?: () => void;
  onmessage?: (message: { data: string }) => void;
  onclose?: (() => void) | null;
  constructor(url: URL) {
    Socket.urls.push(url.href);
    Socket.made.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as (typeof this.sent)[number]);
  }
  close(): void {
    this.onclose?.();
  }
  hear(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

const heard: string[] = [];
const listener = {
  refused: (fault) => heard.push(`refused ${fault.code}`),
  settled: () => heard.push("settled"),
  online: () => undefined,
  snapshot: () => undefined,
  event: () => undefined,
} as Partial<Listener> as Listener;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("document", { addEventListener: () => undefined });
  vi.stubGlobal("location", { href: "https://play.example/t/x", protocol: "https:" });
  Socket.made.length = Socket.urls.length = heard.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("all that is known is asked for on this connection, and on the next where it has died", () => {
  const live = new Live("x", [], listener);
  const [first] = Socket.made;
  first?.onopen?.();
  first?.hear({ type: "snapshot", state: { number: 7 } });
  live.refresh();
  expect(first?.sent).toEqual([{ type: "snapshot" }]);
  first?.close();
  vi.advanceTimersByTime(5000);
  expect(Socket.urls.map((url) => url.includes("since"))).toEqual([false, false]);
});

test("what a server that stops does not take is sent to the next, unnoticed", () => {
  const live = new Live("x", [], listener);
  const [first] = Socket.made;
  first?.onopen?.();
  const id = live.send("act", { ply: 0, action: "Rd4" });
  first?.hear({ type: "error", code: "unavailable", where: "server", why: "the server stops; send it again", id });
  first?.close();
  vi.advanceTimersByTime(5000);
  const next = Socket.made[1];
  next?.onopen?.();
  expect(next?.sent.filter((one) => one.type === "act").map((one) => one.id)).toEqual([id]);
  vi.advanceTimersByTime(5000);
  expect(heard).toEqual([]);
  next?.hear({ type: "ack", id, number: 1 });
  expect(heard).toEqual(["settled"]);
});

test("what a server that stays cannot take is refused in the end", () => {
  const live = new Live("x", [], listener);
  Socket.made[0]?.onopen?.();
  const id = live.send("act", { ply: 0, action: "Rd4" });
  Socket.made[0]?.hear({ type: "error", code: "unavailable", where: "server", why: "it cannot be written", id });
  expect(heard).toEqual([]);
  vi.advanceTimersByTime(5000);
  expect(heard).toEqual(["settled", "refused unavailable"]);
  Socket.made[0]?.hear({ type: "error", code: "stale-ply", where: "ply", why: "too late", id: "other" });
  expect(heard.at(-1)).toBe("refused stale-ply");
});

test("a move says which event was known, also when it is sent again", () => {
  const live = new Live("x", [], listener);
  const [first] = Socket.made;
  first?.onopen?.();
  first?.hear({ type: "snapshot", state: { number: 4 } });
  first?.hear({ type: "event", number: 5 });
  live.send("act", { ply: 3, action: "Rd4" });
  live.send("say", { room: "players", text: "hello" });
  first?.hear({ type: "event", number: 6 });
  first?.close();
  vi.advanceTimersByTime(5000);
  const next = Socket.made[1];
  next?.onopen?.();
  expect(next?.sent.map((one) => one.number)).toEqual([5, undefined]);
});
