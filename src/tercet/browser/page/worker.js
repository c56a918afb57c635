// Tercet's own Python in a worker: it answers the page's questions by tercet.browser.desk, and holds no rule itself.
// Named "snapshot", it only keeps an image of the memory of a Python that has imported Tercet: later visits begin there.
const build = await (await fetch("build.json")).json();
const SNAPSHOTS = "tercet-snapshot-";
const snapshots = `${SNAPSHOTS}${build.pyodide}-${build.package}`;
const image = "snapshot.bin";
let desk;

async function bytes(name) {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`${name} could not be loaded (${answer.status}).`);
  return new Uint8Array(await answer.arrayBuffer());
}

async function load(more, tell = () => {}) {
  const source = bytes(build.package);
  const { loadPyodide } = await import(`./${build.pyodide}/pyodide.mjs`);
  tell(0.1);
  const python = await loadPyodide({ indexURL: new URL(`./${build.pyodide}/`, self.location.href).href, ...more });
  tell(0.6);
  python.unpackArchive(await source, "zip", { extractDir: python.runPython("import site; site.getsitepackages()[0]") });
  return python;
}

async function kept() {
  try {
    return await (await (await caches.open(snapshots)).match(image))?.arrayBuffer();
  } catch {
    return undefined; // this browser keeps nothing for the page
  }
}

async function started() {
  const tell = (share) => postMessage({ progress: share });
  const modules = Promise.all(Object.values(build.games).flatMap((game) => [game.module, game.table]).map(bytes));
  const memory = await kept();
  let python;
  if (memory) {
    try {
      python = await load({ _loadSnapshot: memory }, tell);
    } catch {
      await caches.delete(snapshots); // damaged, or of another build of Pyodide
    }
  }
  const fromImage = python !== undefined;
  python ??= await load({}, tell);
  tell(0.7);
  const provide = python.runPython("import json, random\nfrom tercet.kernel import webassembly\nrandom.seed()\nlambda name, content, table: webassembly.provide(name, content.to_bytes(), json.loads(table.to_bytes()))");
  const found = await modules;
  Object.keys(build.games).forEach((name, at) => provide(name, found[2 * at], found[2 * at + 1]));
  tell(0.8);
  const module = python.pyimport("tercet.browser.desk");
  const offered = module.offered();
  desk = module.Desk();
  postMessage({ offered: JSON.parse(offered), fromImage });
}

async function keepImage() {
  for (const name of await caches.keys()) if (name.startsWith(SNAPSHOTS)) await caches.delete(name);
  const python = await load({ _makeSnapshot: true });
  python.runPython("import gc\nfrom tercet.browser import desk\ndesk.offered()\ngc.collect()");
  await (await caches.open(snapshots)).put(image, new Response(python.makeMemorySnapshot()));
  postMessage({ kept: true });
}

async function answer({ data: { id, method, given } }) {
  try {
    await ready;
    postMessage({ id, answer: desk[method](...given) });
  } catch (error) {
    const lines = String(error.message ?? error).trim().split("\n");
    postMessage({ id, error: lines.at(-1).replace(/^[\w.]+: /, "") });
  }
}

const making = self.name === "snapshot";
const ready = (making ? keepImage() : started()).catch((error) => {
  postMessage({ failed: `Tercet could not start: ${error.message}` });
});
if (!making) onmessage = answer;
