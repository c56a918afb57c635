/** Sets up the worker as the page's backend. The static site loads this script before the page. */
import type { Socket } from "../lib/backend";
import { said } from "../words/device";
import type { DeviceState, Trouble } from "../lib/device";
import { keepSnapshot, keptSnapshot } from "./lastTable";
import { Recorded, sameMessage } from "./recorded";
import { HELPER, MAKER, type Order, type Report } from "./messages";
import { writeLinks } from "./links";
import { Store } from "./store";

const FORMAT = "tercet-device-1"; // of an exported file
const OURS = "tercet."; // prefix of the page's names in localStorage
const IDLE = 3000; // ms
const SETTLED = 500; // ms after the last event at a table
const MAX_POSTPONED = 1000; // ms that requests wait at most once Tercet has started
const MAX_CRASHES = 3; // of the engines' worker, after which it is not started again
const ALONE = "tercet"; // the lock of the only open window, in a browser whose windows cannot share a worker
const build = document.querySelector<HTMLMetaElement>('meta[name="tercet-build"]')?.content ?? "";

const state: DeviceState = {
  started: 0,
  helped: false,
  crashes: 0,
  failure: null,
  trouble: null,
  elsewhere: false,
  kept: "serviceWorker" in navigator ? "no" : "unable",
  bytes: [0, 0],
  newer: false,
};
type Unable = NonNullable<DeviceState["failure"]>;
const followers = new Set<() => void>();
function change(parts: Partial<DeviceState>): void {
  Object.assign(state, parts);
  for (const changed of followers) changed();
}

/** Return the language of the page, once it is shown. */
const language = (): string => document.documentElement.lang.split("-")[0] || "en";

let deliver: ((order: Order, ports?: Transferable[]) => void) | null = null;
const undelivered: Order[] = [];
function post(order: Order, ports?: Transferable[]): void {
  if (deliver) deliver(order, ports);
  else undelivered.push(order);
}

/** Requests that wait until Tercet has started and answered the player at a recorded board. */
const postponed: Order[] = [];
function release(): void {
  for (const order of postponed.splice(0)) post(order);
}
followers.add(() => {
  if (state.started < 1 || !postponed.length) return;
  if (![...channels.values()].some((channel) => channel.recorded !== undefined)) release();
  else setTimeout(release, MAX_POSTPONED);
});

let last = 0;
const asked = new Map<number, { done: (answer: Response) => void; spoken: string }>();
const channels = new Map<string, Channel>();

function unable({ why, detail }: Unable, spoken: string): Response {
  const error = { code: "unavailable", where: "device", why: said(why, spoken, { detail }) };
  return new Response(JSON.stringify({ error }), { status: 503 });
}

const recorded = new Recorded(build);
let store: Store | undefined;

async function ask(path: string, { method = "GET", body, signal, headers }: RequestInit): Promise<Response> {
  const spoken = new Headers(headers).get("accept-language") ?? "en";
  const text = typeof body === "string" ? body : "";
  if (state.started < 1) {
    const known = await recorded.answer(
      `${method} ${path} ${text}`,
      spoken,
      state.failure ? null : (store ??= new Store()),
    );
    if (known) return known;
  }
  if (state.failure) return unable(state.failure, spoken);
  return new Promise((done, failed) => {
    const id = ++last;
    asked.set(id, { done, spoken });
    signal?.addEventListener("abort", () => {
      asked.delete(id);
      failed(signal.reason as Error);
    });
    const order: Order = { do: "ask", id, method, path, language: spoken, ...(text && { body: text }) };
    if (state.started < 1 || postponed.length) postponed.push(order);
    else post(order);
  });
}

/** A connection to the worker that behaves like a WebSocket. */
class Channel implements Socket {
  readyState: number = WebSocket.CONNECTING;
  onopen: Socket["onopen"] = null;
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  readonly #id = String(++last);
  readonly #path: string;
  /** a recorded or stored first message, until the worker says the same */
  recorded: string | undefined;
  #said = false;
  /** a snapshot is asked for, to be stored */
  #storing = false;
  #settled: ReturnType<typeof setTimeout> | undefined;

  constructor(path: string) {
    this.#path = path;
    channels.set(this.#id, this);
    const known = state.started < 1 ? (recorded.snapshot(path) ?? keptSnapshot(build, path)) : undefined;
    if (known !== undefined)
      queueMicrotask(() => {
        this.opened();
        this.hear(known);
      });
    this.recorded = known;
    post({ do: "open", channel: this.#id, path });
    played = true;
    startHelper();
  }
  /** Answer pings here: while an engine thinks, the worker is busy but not lost. */
  send(text: string): void {
    const { type, id } = JSON.parse(text) as { type: string; id?: string };
    if (type === "ping") return queueMicrotask(() => this.hear(JSON.stringify({ type: "pong", id })));
    this.#said = true;
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
    const { type } = JSON.parse(text) as { type: string };
    if (type === "snapshot") keepSnapshot(build, this.#path, text);
    if (type === "event") this.#store();
    const known = this.recorded;
    this.recorded = undefined;
    if (type === "snapshot" && this.#storing) this.#storing = false;
    else if (known === undefined || !sameMessage(known, text)) this.hear(text);
    if (known === undefined || !this.#said) release();
  }
  /** Ask for a snapshot when nothing more happens. */
  #store(): void {
    clearTimeout(this.#settled);
    this.#settled = setTimeout(() => {
      this.#storing = true;
      post({ do: "say", channel: this.#id, text: JSON.stringify({ type: "snapshot" }) });
    }, SETTLED);
  }
  opened(): void {
    if (this.readyState !== WebSocket.CONNECTING) return;
    this.readyState = WebSocket.OPEN;
    this.onopen?.(new Event("open"));
  }
  closed(): void {
    if (!channels.delete(this.#id)) return;
    clearTimeout(this.#settled);
    this.readyState = WebSocket.CLOSED;
    this.onclose?.(new CloseEvent("close"));
  }
}

function hear(report: Report): void {
  switch (report.is) {
    case "progress":
      change({ started: report.share });
      break;
    case "alive":
      whenGone(report.lock, () => fail({ why: "stopped", detail: "" }));
      break;
    case "failed":
      fail(report);
      break;
    case "trouble":
      change({ trouble: report.what });
      break;
    case "restarted":
      location.reload();
      break;
    case "answer":
      // a Response of 204 has no body
      asked.get(report.id)?.done(new Response(report.text || null, { status: report.status }));
      asked.delete(report.id);
      break;
    case "opened":
      channels.get(report.channel)?.opened();
      break;
    case "closed":
      channels.get(report.channel)?.closed();
      break;
    case "heard":
      channels.get(report.channel)?.take(report.text);
  }
}

function fail(failure: Unable): void {
  change({ failure });
  for (const { done, spoken } of asked.values()) done(unable(failure, spoken));
  asked.clear();
}

/** Call `gone` when a worker is no more: it holds a lock, which the browser frees after a crash too. */
function whenGone(lock: string, gone: () => void): void {
  void navigator.locks.request(lock, { mode: "shared" }, gone);
}

type Reached = Worker | MessagePort;
function summon(name: string, broken?: () => void, heard = hear): Reached {
  const made =
    typeof SharedWorker === "function"
      ? new SharedWorker(new URL("./deviceWorker.ts", import.meta.url), { type: "module", name })
      : new Worker(new URL("./deviceWorker.ts", import.meta.url), { type: "module", name });
  if (broken) made.onerror = broken;
  const port = made instanceof Worker ? made : made.port;
  port.onmessage = ({ data }: MessageEvent<Report>) => heard(data);
  return port;
}

function reach(to: Reached): void {
  deliver = (order, ports = []) => to.postMessage(order, ports);
  post({ do: "start", build });
  for (const order of undelivered.splice(0)) post(order);
}

/** Start the worker. Windows share it if the browser has shared workers; otherwise one window runs at a time. */
function begin(): void {
  if (typeof WebAssembly !== "object") return fail({ why: "noWasm", detail: "" });
  const broken = (): void => fail({ why: "noWorker", detail: "" });
  if (typeof SharedWorker === "function") {
    addEventListener("pagehide", () => post({ do: "leave" }));
    addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
    return reach(summon(build, broken));
  }
  const held = (): Promise<never> => {
    change({ elsewhere: false });
    reach(summon(build, broken));
    return new Promise(() => undefined);
  };
  if (!navigator.locks) return void held();
  void navigator.locks.request(ALONE, { ifAvailable: true }, (lock) => {
    if (lock) return held();
    change({ elsewhere: true });
    void navigator.locks.request(ALONE, held);
    return undefined;
  });
}

/** Start a worker whose engines think while the first one answers, once a board is open and Tercet is idle. Without it,
 * or until it has started, they think in the first one. */
function startHelper(): void {
  if (!played || summoned || state.started < 1 || navigator.hardwareConcurrency < 2) return;
  summoned = true;
  setTimeout(summonHelper, IDLE);
}
function summonHelper(): void {
  let lent = false;
  const helper = summon(HELPER + build, undefined, (report) => {
    if (report.is === "alive") whenGone(report.lock, helperGone);
    if (lent || report.is !== "progress" || report.share < 1) return;
    lent = true;
    const { port1, port2 } = new MessageChannel();
    helper.postMessage({ do: "help" } satisfies Order, [port1]);
    post({ do: "lend" }, [port2]);
    change({ helped: true });
  });
  helper.postMessage({ do: "start", build } satisfies Order);
}
/** The engines' worker has crashed: the first worker thinks until there is another. */
function helperGone(): void {
  post({ do: "lost" });
  change({ helped: false, crashes: state.crashes + 1 });
  if (state.crashes < MAX_CRASHES) setTimeout(summonHelper, IDLE);
}
let played = false;
let summoned = false;
followers.add(startHelper);

let registered: ServiceWorkerRegistration | undefined;
function watch(registration: ServiceWorkerRegistration): void {
  registered = registration;
  const look = (): void => {
    const { installing, waiting, active } = registration;
    change({ kept: active ? "yes" : installing || waiting ? "going" : "no", newer: Boolean(active && waiting) });
    installing?.addEventListener("statechange", look);
    waiting?.addEventListener("statechange", look);
  };
  registration.addEventListener("updatefound", look);
  look();
}
/** Make a snapshot for faster starts, once the site's files are stored and Tercet is idle. */
function startFaster(): void {
  if (state.kept !== "yes" || state.started < 1 || faster) return;
  faster = true;
  setTimeout(
    () => new Worker(new URL("./deviceWorker.ts", import.meta.url), { type: "module", name: MAKER + build }),
    IDLE,
  );
}
let faster = false;
followers.add(startFaster);

function watchKept(): void {
  if (state.kept === "unable") return;
  const { serviceWorker } = navigator;
  serviceWorker.onmessage = ({ data }: MessageEvent<Partial<DeviceState>>) => change(data);
  void serviceWorker.getRegistration().then(
    (found) => {
      if (found?.scope !== new URL("./", location.href).href) return; // it belongs to another site, in a folder above
      watch(found);
      void found.update().catch(() => undefined);
    },
    () => change({ kept: "unable" }),
  );
}

globalThis.tercetBackend = {
  fetch: ask,
  open: (path) => new Channel(path),
  people: false,
  root: "#",
  device: {
    state,
    follow(changed) {
      followers.add(changed);
      return () => followers.delete(changed);
    },
    async keep() {
      change({ kept: "going", trouble: null });
      try {
        watch(await navigator.serviceWorker.register("service.js"));
      } catch {
        change({ kept: "no", trouble: "notKept" });
      }
      void navigator.storage?.persist?.().catch(() => undefined);
    },
    renew() {
      navigator.serviceWorker.oncontrollerchange = () => location.reload();
      registered?.waiting?.postMessage("renew");
    },
    async exported() {
      const store = new Store();
      const kept = await Promise.all(
        (await store.list()).map(async (key) => [key, (await store.get(key)) ?? ""] as const),
      );
      const own = Object.entries(localStorage).filter(([key]) => key.startsWith(OURS));
      return JSON.stringify({ format: FORMAT, kept: Object.fromEntries(kept), page: Object.fromEntries(own) });
    },
    async imported(text) {
      const found = read(text);
      if (!found) throw new Error(said("noFile", language()));
      let trouble: Trouble | null = null;
      const store = new Store((what) => (trouble = what));
      for (const [key, value] of found.kept) await store.put(key, value);
      for (const [key, value] of found.page) if (key.startsWith(OURS)) localStorage.setItem(key, value);
      if (trouble) throw new Error(said(trouble, language()));
      post({ do: "restart" });
    },
  },
};

type Entries = [key: string, value: string][];
function read(text: string): { kept: Entries; page: Entries } | null {
  try {
    const { format, kept, page } = JSON.parse(text) as { format?: string; kept: object; page: object };
    const all = [Object.entries(kept), Object.entries(page)] as const;
    if (format !== FORMAT || !all.flat().every(([, value]) => typeof value === "string")) return null;
    return { kept: all[0], page: all[1] };
  } catch {
    return null;
  }
}

writeLinks();
begin();
watchKept();
