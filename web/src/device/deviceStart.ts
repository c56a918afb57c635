/** Sets up the worker as the page's backend. The static site loads this script before the page. */
import "../storage/memory";
import { say } from "../words/device";
import { language } from "../words/words";
import {
  Channel,
  begin,
  build,
  change,
  channels,
  follow,
  followers,
  makeSnapshot,
  post,
  request,
  state,
} from "./deviceLink";
import { summon, whenGone } from "./deviceLink";
import type { Backend } from "../lib/backend";
import type { DeviceState } from "../lib/device";
import { Recorded, sameMessage } from "./recorded";
import { HELPER, type Order } from "./messages";
import { ServerClient, chooseServer, chosenServer, faultOf, linkedServer, reachOnly } from "./serverClient";
import { Store, type Trouble } from "../storage/database";
import { allKept, keep, keepAll, keepText, kept } from "../storage/kept";

const FORMAT = "tercet-device-1"; // of an exported file
const IDLE = 3000; // ms
const SETTLED = 500; // ms after the last event at a table
const QUIET = 250; // ms without a message of a table, after which postponed requests are sent
const MAX_POSTPONED = 3000; // ms that they wait at most once Tercet has started
const MAX_CRASHES = 3; // of the engines' worker, after which it is not started again
const ALONE = "tercet"; // the lock of the only open window, in a browser whose windows cannot share a worker

/** The latest state of the table that was open last: the next visit shows it before Python has started. */
interface Last {
  build: string;
  /** the path of the table's socket, with the language */
  address: string;
  snapshot: string;
}

function addressOf(path: string): string {
  const { pathname, searchParams } = new URL(path, location.href);
  return `${pathname} ${searchParams.get("lang") ?? ""}`;
}

/** Keep a snapshot, but not one of a clock: it stands still while the page is closed. */
function keepSnapshot(build: string, path: string, snapshot: string): void {
  const { state } = JSON.parse(snapshot) as { state: { clock: unknown } };
  if (state.clock) keepText("lastTable", null);
  else keep("lastTable", { build, address: addressOf(path), snapshot } satisfies Last);
}

function keptSnapshot(build: string, path: string): string | undefined {
  const last = kept<Partial<Last>>("lastTable", {});
  return last.build === build && last.address === addressOf(path) ? last.snapshot : undefined;
}

/** Requests that wait until Tercet has started, and an engine has replied to the player at a recorded board. */
const postponed: Order[] = [];
let releasing: ReturnType<typeof setTimeout> | undefined;
function release(): void {
  clearTimeout(releasing);
  for (const order of postponed.splice(0)) post(order);
}
followers.add(() => {
  if (state.started < 1 || !postponed.length) return;
  if (![...channels.values()].some((channel) => (channel as SiteChannel).recorded !== undefined)) release();
  else setTimeout(release, MAX_POSTPONED);
});

const recorded = new Recorded(build, language);
let store: Store | undefined;

async function ask(path: string, init: RequestInit): Promise<Response> {
  const { method = "GET", body, headers } = init;
  const spoken = new Headers(headers).get("accept-language") ?? "en";
  if (state.started < 1) {
    const asked = `${method} ${path} ${typeof body === "string" ? body : ""}`;
    const known = await recorded.answer(asked, spoken, state.failure ? null : (store ??= new Store()));
    if (known) return known;
  }
  return request(path, init, (order) => (state.started < 1 || postponed.length ? postponed.push(order) : post(order)));
}

interface Shown {
  type: string;
  state?: { mover: number | null; seats: { kind: string }[] };
}
/** A channel whose first message may be known before Tercet has started, and whose table is stored. */
class SiteChannel extends Channel {
  /** a recorded or stored first message, until the worker says the same */
  recorded: string | undefined;
  #said = false;
  /** a snapshot is asked for, to be stored */
  #storing = false;
  #settled: ReturnType<typeof setTimeout> | undefined;
  /** it is an engine's turn */
  #thinking = false;

  constructor(path: string) {
    super(path);
    const known = state.started < 1 ? (recorded.snapshot(path) ?? keptSnapshot(build, path)) : undefined;
    if (known !== undefined)
      queueMicrotask(() => {
        this.opened();
        this.hear(known);
      });
    this.recorded = known;
    played = true;
    startHelper();
  }
  override say(text: string): void {
    this.#said = true;
    super.say(text);
  }
  override take(text: string): void {
    const { type, state } = JSON.parse(text) as Shown;
    if (state) this.#thinking = state.seats[state.mover ?? -1]?.kind === "engine";
    if (type === "snapshot") keepSnapshot(build, this.path, text);
    if (type === "event") this.#store();
    const known = this.recorded;
    this.recorded = undefined;
    if (type === "snapshot" && this.#storing) this.#storing = false;
    else if (known === undefined || !sameMessage(known, text)) this.hear(text);
    if (!postponed.length) return;
    if (!this.#said) return release();
    clearTimeout(releasing);
    if (!this.#thinking) releasing = setTimeout(release, QUIET);
  }
  /** Ask for a snapshot when nothing more happens. */
  #store(): void {
    clearTimeout(this.#settled);
    this.#settled = setTimeout(() => {
      this.#storing = true;
      super.say(JSON.stringify({ type: "snapshot" }));
    }, SETTLED);
  }
  override closed(): void {
    clearTimeout(this.#settled);
    super.closed();
  }
}

/** Start the worker. Windows share it if the browser has shared workers; otherwise one window runs at a time. */
function beginOnce(): void {
  const back = (): void => location.reload();
  if (typeof SharedWorker === "function" || !navigator.locks) return begin(back);
  const held = (): Promise<never> => {
    change({ elsewhere: false });
    begin(back);
    return new Promise(() => undefined);
  };
  void navigator.locks
    .request(ALONE, { ifAvailable: true }, (lock) => {
      if (lock) return held();
      change({ elsewhere: true });
      void navigator.locks.request(ALONE, held);
      return undefined;
    })
    .catch(() => begin(back)); // without storage there are no locks, and nothing to share
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
  const report = (): void => {
    const { installing, waiting, active } = registration;
    change({ kept: active ? "yes" : installing || waiting ? "going" : "no", newer: Boolean(active && waiting) });
    installing?.addEventListener("statechange", report);
    waiting?.addEventListener("statechange", report);
  };
  registration.addEventListener("updatefound", report);
  report();
}
/** Make a snapshot for faster starts, once the site's files are stored and Tercet is idle. */
function startFaster(): void {
  if (state.kept !== "yes" || state.started < 1 || faster) return;
  faster = true;
  setTimeout(makeSnapshot, IDLE);
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

const server = chosenServer();
const linked = linkedServer(location.hash);
const known = linked?.origin === server;
const version = document.querySelector<HTMLMetaElement>('meta[name="tercet-version"]')?.content ?? "";
if (linked) history.replaceState(null, "", `#${known ? linked.path : "/"}`);
addEventListener("popstate", () => linkedServer(location.hash) && location.reload());
change({ server, offered: linked && !known ? linked.origin : "" });
reachOnly([server, state.offered].filter(Boolean));
if (server && !state.offered) void faultOf(server, version).then((serverFault) => change({ serverFault }));

const here: Pick<Backend, "fetch" | "open"> = { fetch: ask, open: (path) => new SiteChannel(path) };
const both = server ? new ServerClient(server, here) : here;

globalThis.tercetBackend = {
  fetch: (path, init) => both.fetch(path, init),
  open: (path) => both.open(path),
  people: server !== "",
  root: "#",
  server,
  device: {
    state,
    follow,
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
    async connect() {
      if (!linked) return;
      const serverFault = await faultOf(linked.origin, version);
      change({ serverFault });
      if (serverFault) return;
      chooseServer(linked.origin);
      location.hash = linked.path;
      location.reload();
    },
    decline: () => change({ offered: "", serverFault: null }),
    disconnect() {
      chooseServer("");
      location.hash = "/";
      location.reload();
    },
    async exported() {
      const store = new Store();
      const keys = await store.list();
      const kept = await Promise.all(keys.map(async (key) => [key, (await store.get(key)) ?? ""] as const));
      const [games, page] = [Object.fromEntries(kept), Object.fromEntries(allKept())];
      return JSON.stringify({ format: FORMAT, kept: games, page });
    },
    async imported(text) {
      const found = read(text);
      if (!found) throw new Error(say("noFile"));
      let trouble: Trouble | null = null;
      const store = new Store((what) => (trouble = what));
      for (const [key, value] of found.kept) await store.put(key, value);
      keepAll(found.page);
      if (trouble) throw new Error(say(trouble));
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

/** Write the page's paths behind `#` in links, so that a static host serves all of them from one file. */
function write(link: Element): void {
  const path = link.getAttribute("href");
  if (path?.startsWith("/")) link.setAttribute("href", `#${path}`);
}

function writeLinks(): void {
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      for (const node of [target, ...addedNodes])
        if (node instanceof Element) {
          if (node.matches("a[href]")) write(node);
          if (node !== target) node.querySelectorAll("a[href]").forEach(write);
        }
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["href"] });
  addEventListener("click", (event) => {
    const to = (event.target as Element | null)?.closest?.("a[href^='#']")?.getAttribute("href");
    if (!to || event.defaultPrevented) return;
    if (to.startsWith("#/")) scrollTo(0, 0);
    else {
      event.preventDefault();
      document.getElementById(to.slice(1))?.focus();
    }
  });
}

writeLinks();
beginOnce();
watchKept();
