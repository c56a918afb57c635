import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openAnalysis } from "../src/device/thinking.svelte";
import type { DeviceEngine } from "../src/lib/device";

interface Heard {
  type: string;
  id: string;
  nodes?: number;
}

/** A socket to the server or to the device. */
class Line {
  readyState = 0;
  sent: { type: string; id?: string }[] = [];
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
    this.sent.push(JSON.parse(text) as { type: string });
  }
  tell(message: Heard): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  close(): void {
    this.onclose?.();
  }
}

let servers: Line[] = [];
let devices: Line[] = [];
const followers = new Set<() => void>();
const engine = {
  ready: false,
  stop: () => become(false),
  follow: (changed: () => void) => (followers.add(changed), () => followers.delete(changed)),
  fetch: () => Promise.reject(new Error("lost")),
  open: () => (devices.push(new Line()), devices.at(-1)),
};
function become(ready: boolean): void {
  engine.ready = ready;
  for (const changed of followers) changed();
}

vi.mock("../src/device/deviceEngine", () => ({ engine: engine as unknown as DeviceEngine }));
vi.mock("../src/lib/backend", () => ({
  offersDevice: () => true,
  backend: { open: () => (servers.push(new Line()), servers.at(-1)) },
}));

beforeEach(() => {
  [servers, devices] = [[], []];
  followers.clear();
  engine.ready = false;
  vi.stubGlobal("CloseEvent", Event);
  vi.stubGlobal("navigator", {});
  vi.stubGlobal("WebSocket", { CONNECTING: 0, OPEN: 1, CLOSED: 3 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function opened(): Promise<{ go: (more?: object) => void; heard: Heard[]; closed: () => boolean }> {
  const socket = openAnalysis();
  const heard: Heard[] = [];
  let gone = false;
  socket.onmessage = ({ data }) => heard.push(JSON.parse(data) as Heard);
  socket.onclose = () => (gone = true);
  await vi.dynamicImportSettled();
  await Promise.resolve();
  const go = (more = {}): void => socket.send(JSON.stringify({ type: "go", id: "a", position: "p", ...more }));
  return { go, heard, closed: () => gone };
}

test("the server answers until the device is ready, which then shows no less than the server had found", async () => {
  const { go, heard } = await opened();
  go();
  servers[0]?.tell({ type: "info", id: "a", nodes: 500 });
  become(true);
  expect(servers[0]?.sent.map(({ type }) => type)).toEqual(["go", "stop"]);
  await Promise.resolve();
  expect(devices[0]?.sent).toHaveLength(1);
  servers[0]?.tell({ type: "done", id: "a" });
  devices[0]?.tell({ type: "info", id: "a", nodes: 400 });
  devices[0]?.tell({ type: "info", id: "a", nodes: 600 });
  devices[0]?.tell({ type: "done", id: "a" });
  expect(heard.map(({ type, nodes }) => [type, nodes])).toEqual([
    ["info", 500],
    ["info", 600],
    ["done", undefined],
  ]);
});

test("a short analysis that the server has begun stays there", async () => {
  const { go, heard } = await opened();
  go({ movetime: 300 });
  become(true);
  servers[0]?.tell({ type: "done", id: "a" });
  expect(devices).toEqual([]);
  expect(heard).toHaveLength(1);
});

test("a device that says nothing is given up, and the server is asked the same", async () => {
  await opened().then(() => become(true));
  const { go, closed } = await opened();
  vi.useFakeTimers();
  go();
  expect(devices[0]?.sent).toHaveLength(1);
  vi.advanceTimersByTime(9_000);
  expect(servers).toHaveLength(1); // that of the first socket
  vi.advanceTimersByTime(2_000);
  await Promise.resolve();
  await Promise.resolve();
  expect(servers[1]?.sent).toEqual([{ type: "go", id: "a", position: "p" }]);
  expect(closed()).toBe(false);
});

test("a device that speaks is not given up", async () => {
  await opened().then(() => become(true));
  const { go } = await opened();
  vi.useFakeTimers();
  go();
  devices[0]?.tell({ type: "info", id: "a", nodes: 1 });
  vi.advanceTimersByTime(60_000);
  expect(engine.ready).toBe(true);
});
