/** The window's link to the worker that runs Tercet (deviceWorker.ts). */
import type { Socket } from "../lib/backend";
import { said } from "../words/device";
import type { DeviceState } from "../lib/device";
import { MAKER, type Order, type Report } from "./messages";

/** The name of the file that lists those of the worker. */
export const build = document.querySelector<HTMLMetaElement>('meta[name="tercet-build"]')?.content ?? "";

export const state: DeviceState = {
  started: 0,
  helped: false,
  crashes: 0,
  failure: null,
  trouble: null,
  elsewhere: false,
  kept: "serviceWorker" in navigator ? "no" : "unable",
  bytes: [0, 0],
  newer: false,
  server: "",
  offered: "",
  serverFault: null,
};
type Unable = NonNullable<DeviceState["failure"]>;
export const followers = new Set<() => void>();
export function follow(changed: () => void): () => void {
  followers.add(changed);
  return () => void followers.delete(changed);
}
export function change(parts: Partial<DeviceState>): void {
  Object.assign(state, parts);
  for (const changed of followers) changed();
}

let deliver: ((order: Order, ports?: Transferable[]) => void) | null = null;
const undelivered: Order[] = [];
export function post(order: Order, ports?: Transferable[]): void {
  if (deliver) deliver(order, ports);
  else undelivered.push(order);
}

let last = 0;
const asked = new Map<number, { done: (answer: Response) => void; spoken: string }>();
export const channels = new Map<string, Channel>();

function unable({ why, detail }: Unable, spoken: string): Response {
  const error = { code: "unavailable", where: "device", why: said(why, spoken, { detail }) };
  return new Response(JSON.stringify({ error }), { status: 503 });
}

/** Ask the worker, by way of `send`. */
export function request(
  path: string,
  { method = "GET", body, signal, headers }: RequestInit,
  send: (order: Order & { do: "ask" }) => unknown = post,
): Promise<Response> {
  const spoken = new Headers(headers).get("accept-language") ?? "en";
  const text = typeof body === "string" ? body : "";
  if (state.failure) return Promise.resolve(unable(state.failure, spoken));
  return new Promise((done, failed) => {
    const id = ++last;
    asked.set(id, { done, spoken });
    signal?.addEventListener("abort", () => {
      asked.delete(id);
      failed(signal.reason as Error);
    });
    send({ do: "ask", id, method, path, language: spoken, ...(text && { body: text }) });
  });
}

/** A connection to the worker that behaves like a WebSocket. */
export class Channel implements Socket {
  readyState: number = WebSocket.CONNECTING;
  onopen: Socket["onopen"] = null;
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  readonly #id = String(++last);

  constructor(readonly path: string) {
    channels.set(this.#id, this);
    post({ do: "open", channel: this.#id, path });
  }
  /** Answer pings here: while an engine thinks, the worker is busy but not lost. */
  send(text: string): void {
    const { type, id } = JSON.parse(text) as { type: string; id?: string };
    if (type === "ping") queueMicrotask(() => this.hear(JSON.stringify({ type: "pong", id })));
    else this.say(text);
  }
  say(text: string): void {
    post({ do: "say", channel: this.#id, text });
  }
  close(): void {
    if (this.readyState === WebSocket.CLOSED) return;
    post({ do: "close", channel: this.#id });
    queueMicrotask(() => this.closed());
  }
  hear(text: string): void {
    this.onmessage?.(new MessageEvent("message", { data: text }));
  }
  /** Take a message of the worker. */
  take(text: string): void {
    this.hear(text);
  }
  opened(): void {
    if (this.readyState !== WebSocket.CONNECTING) return;
    this.readyState = WebSocket.OPEN;
    this.onopen?.(new Event("open"));
  }
  closed(): void {
    if (!channels.delete(this.#id)) return;
    this.readyState = WebSocket.CLOSED;
    this.onclose?.(new CloseEvent("close"));
  }
}

export function hear(sent: Report): void {
  if (sent.is === "progress") change({ started: sent.share });
  else if (sent.is === "alive") whenGone(sent.lock, () => state.failure ?? fail({ why: "stopped", detail: "" }));
  else if (sent.is === "failed") fail(sent);
  else if (sent.is === "trouble") change({ trouble: sent.what });
  else if (sent.is === "restarted") location.reload();
  else if (sent.is === "answer") {
    // a Response of 204 has no body
    asked.get(sent.id)?.done(new Response(sent.text || null, { status: sent.status }));
    asked.delete(sent.id);
  } else if (sent.is === "opened") channels.get(sent.channel)?.opened();
  else if (sent.is === "closed") channels.get(sent.channel)?.closed();
  else if (sent.is === "heard") channels.get(sent.channel)?.take(sent.text);
}

export function fail(failure: Unable): void {
  change({ failure });
  for (const { done, spoken } of asked.values()) done(unable(failure, spoken));
  asked.clear();
}

/** Call `gone` when a worker is no more: it holds a lock, which the browser frees after a crash too. */
export function whenGone(lock: string, gone: () => void): void {
  navigator.locks.request(lock, { mode: "shared" }, gone).catch(() => undefined);
}

/** Start a worker of this window alone. */
export const ownWorker = (name: string): Worker =>
  new Worker(new URL("./deviceWorker.ts", import.meta.url), { type: "module", name });

/** Start or reach the worker that all windows share, unless the browser has none or refuses it with all storage. */
function sharedWorker(name: string): SharedWorker | null {
  if (typeof SharedWorker !== "function") return null;
  try {
    return new SharedWorker(new URL("./deviceWorker.ts", import.meta.url), { type: "module", name });
  } catch {
    return null;
  }
}

type Reached = Worker | MessagePort;
export function summon(name: string, broken?: () => void, heard = hear): Reached {
  const made = sharedWorker(name) ?? ownWorker(name);
  if (broken) made.onerror = broken;
  const port = made instanceof Worker ? made : made.port;
  port.onmessage = ({ data }: MessageEvent<Report>) => heard(data);
  return port;
}

/** Start the worker, or reach the one that all windows share. A page that the browser shows again after it has left that
 * worker calls `back`. */
export function begin(back: () => void): void {
  if (typeof WebAssembly !== "object") return fail({ why: "noWasm", detail: "" });
  if (typeof SharedWorker === "function") {
    addEventListener("pagehide", () => post({ do: "leave" }));
    addEventListener("pageshow", ({ persisted }) => persisted && back());
  }
  const to = summon(build, () => fail({ why: "noWorker", detail: "" }));
  deliver = (order, ports = []) => to.postMessage(order, ports);
  post({ do: "start", build });
  for (const order of undelivered.splice(0)) post(order);
}

/** Make a snapshot for faster starts, unless there is one. */
export function makeSnapshot(): void {
  ownWorker(MAKER + build);
}
