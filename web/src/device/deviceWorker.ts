/**
 * Runs Tercet's Python, whose `tercet.browser.backend` answers requests as a server does. Engines search in the games'
 * WebAssembly modules. All windows of a browser share one worker if the browser can.
 */
import type { Failure } from "../lib/device";
import { MAKER, type Build, type Order, type Report } from "./messages";
import { Store } from "../storage/database";

interface Port {
  postMessage(report: Report): void;
  onmessage: ((event: MessageEvent<Order>) => void) | null;
}
interface Proxy {
  destroy(): void;
}
type Post = (text: string) => void;
/** `tercet.browser.backend.Backend`. */
interface Answers {
  request(
    method: string,
    path: string,
    body: string | undefined,
    language: string,
  ): Promise<Proxy & { toJs(): [number, string] }>;
  connect(path: string, send: (text: string) => void): Promise<number>;
  receive(id: number, text: string): Promise<void>;
  close(id: number): Promise<void>;
  lend(post: Post | undefined): Post | undefined;
  help(post: Post): Post;
}
/** `tercet.browser.console.Console`. */
interface Cells {
  run(cell: string): string;
}
interface Python {
  FS: { mkdirTree(path: string): void; writeFile(path: string, content: Uint8Array): void };
  runPython(code: string): unknown;
  runPythonAsync(code: string): Promise<unknown>;
  pyimport(name: string): {
    Backend(store: Store, execution: string, loadMotifs: () => Promise<void>): Answers;
    Console(post: Post): Cells;
  };
  makeMemorySnapshot(): Uint8Array<ArrayBuffer>;
  _api: { on_fatal: () => void };
}
interface Emscripten {
  growMemory(bytes: number): void;
}
interface Options {
  indexURL: string;
  _makeSnapshot?: boolean;
  _loadSnapshot?: Uint8Array;
  createPyodideModule?: (settings: unknown) => Promise<Emscripten>;
}
interface Scope {
  onconnect: ((event: MessageEvent) => void) | null;
  fetch: typeof fetch;
  caches: CacheStorage;
  name: string;
  close(): void;
}
interface Package {
  texts: Record<string, string>;
  data: Record<string, string>;
}
const scope = self as unknown as Scope & Port;
const ROOT = new URL("../", location.href);
let folder = ROOT; // of the files that the build lists
const LOADED = 0.7; // the part of the start in which files are loaded
const STEP = 0.05; // of progress, which windows are sent
const COMPILED = "pyodide.asm.wasm";
const PROVIDE = `import json
from tercet.kernel import webassembly
lambda name, content, table: webassembly.provide(name, content.to_bytes(), json.loads(table.to_bytes()))`;

/** The files of imported modules, a line each: those in a snapshot are not read again. */
const IMPORTED = `import sys
"".join(f"{getattr(module, '__file__', None)}\\n" for module in sys.modules.values())`;

/** Do what the first requests need, before the snapshot is made. */
const WARM = `from tercet.browser.backend import warm
await warm()`;

class Unable extends Error {
  constructor(
    readonly why: Failure,
    message: string,
  ) {
    super(message);
  }
}

/** Return the message of a Python error without its traceback. */
const lastLine = (error: unknown): string => String(error).trim().split("\n").at(-1) ?? "";

const ports = new Map<Port, Map<string, Promise<number>>>();
let standing: Report = { is: "progress", share: 0 };
let answers: Promise<Answers> | null = null;
let interpreter: Python | null = null;
let cells: Cells | undefined;

/** By window, the ports to a worker whose engines think for this one: all are ports to the same worker. */
const helpers = new Map<Port, MessagePort>();

/** A lock that this worker holds as long as it lives: windows notice when it is free. */
const lock = new Promise<string>((done) => {
  const name = `tercet ${Math.random()}`;
  navigator.locks
    ?.request(name, () => {
      done(name);
      return new Promise(() => undefined);
    })
    .catch(() => undefined); // refused with all storage
});

function tell(report: Report): void {
  for (const port of ports.keys()) port.postMessage(report);
}
function stand(report: Report): void {
  standing = report;
  tell(report);
}

const plainFetch = scope.fetch.bind(self);
let lost: Unable | null = null; // the last file that could not be loaded: Pyodide throws something else in its place
async function file(name: string | URL): Promise<Response> {
  const answer = await plainFetch(new URL(name, folder)).catch(() => null);
  if (answer?.ok) return answer;
  lost = new Unable("missing", `${String(name).split("/").at(-1)} (${answer?.status ?? 0})`);
  throw lost;
}
async function listed(build: string): Promise<Build> {
  folder = new URL(build, ROOT);
  return (await (await file(folder)).json()) as Build;
}
const bytes = async (name: string): Promise<Uint8Array> =>
  new Uint8Array(await (await scope.fetch(name)).arrayBuffer());

/** Count the bytes of all files that this worker loads, including those that Pyodide loads. */
function countBytes(all: number): void {
  let loaded = 0;
  let sent = 0;
  const counted = async (name: string | URL): Promise<Response> => {
    const answer = await file(name);
    if (answer.url.endsWith(COMPILED)) return answer;
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(part, to) {
        loaded += part.length;
        const share = Math.min(LOADED, (LOADED * loaded) / all);
        if (share - sent >= STEP) stand({ is: "progress", share: (sent = share) });
        to.enqueue(part);
      },
    });
    return new Response(answer.body?.pipeThrough(counter), { headers: answer.headers });
  };
  scope.fetch = async (input) => counted(input instanceof Request ? input.url : input);
}

const unpacked = async (packed: Promise<Response>): Promise<Package> =>
  new Response((await packed).body?.pipeThrough(new DecompressionStream("gzip"))).json() as Promise<Package>;

/** Give Python these files, except modules that it has `imported`. */
function write(python: Python, { texts, data }: Package, imported = new Set<string>()): void {
  const packages = python.runPython("import site; site.getsitepackages()[0]") as string;
  const encoder = new TextEncoder(); // faster than that of Pyodide
  const folders = new Set<string>();
  const add = (path: string, content: () => Uint8Array): void => {
    const whole = `${packages}/${path}`;
    if (imported.has(whole)) return;
    const folder = whole.slice(0, whole.lastIndexOf("/"));
    if (!folders.has(folder)) python.FS.mkdirTree(folder);
    folders.add(folder);
    python.FS.writeFile(whole, content());
  };
  for (const [path, text] of Object.entries(texts)) add(path, () => encoder.encode(text));
  for (const [path, text] of Object.entries(data))
    add(path, () => Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));
}

/** Start Python, from a snapshot if there is one, and give it Tercet's files. */
async function python(
  build: Build,
  options: Partial<Options>,
  kept?: Promise<Uint8Array | undefined>,
): Promise<Python> {
  const indexURL = new URL(`${build.pyodide}/`, folder).href;
  const load = (name: string): Promise<unknown> =>
    import(/* @vite-ignore */ indexURL + name).catch(() => {
      throw new Unable("missing", name);
    });
  const files = unpacked(scope.fetch(new URL(build.package, folder)));
  const [main, core, snapshot] = await Promise.all([load("pyodide.mjs"), load("pyodide.asm.mjs"), kept]);
  const { loadPyodide } = main as { loadPyodide(options: Options): Promise<Python> };
  if (snapshot) {
    options._loadSnapshot = snapshot;
    // a snapshot is larger than the memory that Pyodide begins with
    options.createPyodideModule = async (settings) => {
      const made = await (core as { default(given: unknown): Promise<Emscripten> }).default(settings);
      made.growMemory(snapshot.length);
      return made;
    };
  }
  const [found, content] = await Promise.all([loadPyodide({ indexURL, ...options }), files]);
  write(found, content, new Set(snapshot ? (found.runPython(IMPORTED) as string).split("\n") : []));
  return found;
}

/** Start from the snapshot, or without it where that fails: another version of the browser may not take it. */
async function start(name: string): Promise<Answers> {
  const snapshot = snapshotOf(name);
  try {
    return await startFrom(name, snapshot);
  } catch (error) {
    if (!(await snapshot) || error instanceof Unable) throw error;
    await dropSnapshots();
    return startFrom(name);
  }
}

async function startFrom(name: string, snapshot?: Promise<Uint8Array | undefined>): Promise<Answers> {
  const build = await listed(name);
  countBytes(build.bytes);
  const modules = Promise.all(
    Object.entries(build.games).map(
      async ([game, { module, table }]) => [game, await bytes(module), await bytes(table)] as const,
    ),
  );
  const found = await python(build, {}, snapshot);
  // Python cannot go on after such an error, which the snapshot may cause again
  found._api.on_fatal = () => void dropSnapshots().finally(() => scope.close());
  stand({ is: "progress", share: LOADED });
  found.runPython("import random; random.seed()"); // the snapshot includes the state of the generator
  const provide = found.runPython(PROVIDE) as (game: string, content: Uint8Array, table: Uint8Array) => void;
  for (const module of await modules) provide(...module);
  stand({ is: "progress", share: 0.8 });
  const store = new Store((what) => tell({ is: "trouble", what }));
  const loadMotifs = async (): Promise<void> => write(found, await unpacked(file(build.motifs)));
  const made = found.pyimport("tercet.browser.backend").Backend(store, "wasm", loadMotifs);
  interpreter = found;
  stand({ is: "progress", share: 1 });
  return made;
}

/** The cache of snapshots: Python's memory with Tercet loaded, by the name of the build. The browser notices damage. */
const SNAPSHOTS = `tercet-snapshot ${ROOT.pathname}`;
/** A header of snapshots: what is kept of the memory, whose rest is zero. One that is cut would crash the browser's
 * process. */
const KEPT = "x-kept";
const PAGE = 65_536; // bytes
interface Kept {
  bytes: number;
  runs: [start: number, end: number][];
}
async function snapshotOf(build: string): Promise<Uint8Array | undefined> {
  try {
    const kept = await scope.caches?.match(new URL(`snapshot/${build}`, ROOT), { cacheName: SNAPSHOTS });
    if (!kept) return undefined;
    const { bytes, runs } = JSON.parse(kept.headers.get(KEPT) ?? "") as Kept;
    const found = new Uint8Array(bytes);
    const parts = kept.body?.getReader();
    let part = new Uint8Array();
    for (const [start, end] of runs)
      for (let at = start; at < end;) {
        if (!part.length) part = (await parts?.read())?.value ?? new Uint8Array();
        if (!part.length) throw new RangeError("cut");
        const taken = part.subarray(0, end - at);
        found.set(taken, at);
        at += taken.length;
        part = part.subarray(taken.length);
      }
    await parts?.read(); // the browser has checked all of it
    return found;
  } catch {
    // it cannot be read
  }
  await dropSnapshots();
  return undefined;
}
/** Return the parts of a memory that are not zero. */
function runsOf(memory: Uint8Array<ArrayBuffer>): Kept["runs"] {
  const runs: Kept["runs"] = [];
  for (let start = 0; start < memory.length; start += PAGE) {
    const end = Math.min(start + PAGE, memory.length);
    if (memory.subarray(start, end).every((byte) => !byte)) continue;
    const last = runs.at(-1);
    if (last?.[1] === start) last[1] = end;
    else runs.push([start, end]);
  }
  return runs;
}
const dropSnapshots = async (): Promise<unknown> => scope.caches?.delete(SNAPSHOTS).catch(() => undefined);

async function makeSnapshot(name: string): Promise<void> {
  if (await snapshotOf(name)) return;
  const build = await listed(name);
  const found = await python(build, { _makeSnapshot: true });
  await found.runPythonAsync(WARM);
  const snapshot = found.makeMemorySnapshot();
  await dropSnapshots();
  const runs = runsOf(snapshot);
  const parts = new Blob(runs.map((run) => snapshot.subarray(...run)));
  const kept: Kept = { bytes: snapshot.length, runs };
  const address = new URL(`snapshot/${name}`, ROOT);
  await (
    await scope.caches.open(SNAPSHOTS)
  ).put(address, new Response(parts, { headers: { [KEPT]: JSON.stringify(kept) } }));
}

function begin(build: string): Promise<Answers> {
  return (answers ??= start(build).catch((error: unknown) => {
    const unable = error instanceof Unable ? error : lost;
    const [why, detail]: [Failure, string] = unable ? [unable.why, unable.message] : ["broken", lastLine(error)];
    lost = null;
    stand({ is: "failed", why, detail });
    answers = null; // the next window tries again
    throw error;
  }));
}

async function answer(port: Port, order: Order & { do: "ask" }): Promise<void> {
  const { id, method, path, body, language } = order;
  try {
    const found = await (await answers)?.request(method, path, body, language);
    if (!found) throw new Error("not started");
    const [status, text] = found.toJs();
    found.destroy();
    port.postMessage({ is: "answer", id, status, text });
  } catch (error) {
    console.error(error);
    const text = JSON.stringify({ error: { code: "internal", where: lastLine(error), why: "" } });
    port.postMessage({ is: "answer", id, status: 500, text });
  }
}

function open(port: Port, { channel, path }: Order & { do: "open" }): void {
  const send = (text: string): void => {
    if (ports.get(port)?.has(channel)) port.postMessage({ is: "heard", channel, text });
  };
  const opened = (async () => {
    const found = await answers;
    if (!found) throw new Error("not started");
    port.postMessage({ is: "opened", channel });
    return found.connect(path, send);
  })();
  ports.get(port)?.set(channel, opened);
  opened.catch((error: unknown) => {
    console.error(error);
    ports.get(port)?.delete(channel);
    port.postMessage({ is: "closed", channel });
  });
}

async function close(port: Port, channel: string): Promise<void> {
  const opened = ports.get(port)?.get(channel);
  ports.get(port)?.delete(channel);
  if (opened) await (await answers)?.close(await opened);
}

async function run(port: Port, cell: string): Promise<void> {
  await answers;
  cells ??= interpreter
    ?.pyimport("tercet.browser.console")
    .Console((text) => port.postMessage({ is: "printed", text }));
  if (cells) port.postMessage({ is: "ran", text: cells.run(cell) });
}

function join(to: MessagePort, made: (post: Post) => Post | undefined): void {
  const hear = made((text) => to.postMessage(text));
  to.onmessage = ({ data }: MessageEvent<string>) => hear?.(data);
}

/** Let engines think behind the first of the ports, if there is one. */
async function useHelper(): Promise<void> {
  const [found, [to]] = [await answers, helpers.values()];
  if (to) join(to, (post) => found?.lend(post));
  else found?.lend(undefined);
}

async function take(port: Port, order: Order, to?: MessagePort): Promise<void> {
  if (order.do === "start") {
    ports.set(port, new Map());
    void lock.then((name) => port.postMessage({ is: "alive", lock: name }));
    void begin(order.build).catch(() => undefined);
    port.postMessage(standing);
  } else if (order.do === "ask") await answer(port, order);
  else if (order.do === "run") await run(port, order.cell);
  else if (order.do === "open") open(port, order);
  else if (order.do === "say") {
    const opened = await ports.get(port)?.get(order.channel);
    if (opened !== undefined) await (await answers)?.receive(opened, order.text);
  } else if (order.do === "close") await close(port, order.channel);
  else if (order.do === "leave") {
    for (const channel of ports.get(port)?.keys() ?? []) void close(port, channel);
    ports.delete(port);
    const used = helpers.keys().next().value === port;
    helpers.delete(port);
    if (used) await useHelper();
  } else if (order.do === "lend") {
    if (to) helpers.set(port, to);
    if (helpers.size === 1) await useHelper();
  } else if (order.do === "lost") {
    helpers.delete(port);
    await useHelper();
  } else if (order.do === "help") {
    const found = await answers;
    if (to && found) join(to, (post) => found.help(post));
  } else {
    tell({ is: "restarted" });
    scope.close();
  }
}

/** Let only the version that was opened last go on: two would overwrite each other's games. */
function giveWay(): void {
  try {
    const [version, versions] = [location.href + scope.name, new BroadcastChannel(`tercet ${ROOT.pathname}`)];
    versions.onmessage = ({ data }) => {
      if (data === version) return;
      stand({ is: "failed", why: "updated", detail: "" });
      scope.close();
    };
    versions.postMessage(version);
  } catch {
    // refused with all storage
  }
}

function listen(port: Port): void {
  port.onmessage = ({ data, ports: [to] }) => void take(port, data, to).catch((error: unknown) => console.error(error));
}
if (scope.name.startsWith(MAKER)) {
  void makeSnapshot(scope.name.slice(MAKER.length))
    .catch((error: unknown) => console.error(error))
    .finally(() => scope.close());
} else if ("onconnect" in scope)
  scope.onconnect = ({ ports: [port] }) => {
    if (port) listen(port);
  };
else listen(scope);
if (scope.name.startsWith("build-")) giveWay();
