// Tercet's own Python in a worker: it answers the page's questions by tercet.browser.desk, and holds no rule itself.
const build = await (await fetch("build.json")).json();
let desk;

async function bytes(name) {
  const answer = await fetch(name);
  if (!answer.ok) throw new Error(`${name} could not be loaded (${answer.status}).`);
  return new Uint8Array(await answer.arrayBuffer());
}

async function start() {
  const tell = (share) => postMessage({ progress: share });
  const { loadPyodide } = await import(`./${build.pyodide}/pyodide.mjs`);
  const files = Promise.all([build.package, ...Object.values(build.games).flatMap((game) => [game.module, game.table])].map(bytes));
  tell(0.1);
  const python = await loadPyodide({ indexURL: new URL(`./${build.pyodide}/`, self.location.href).href });
  tell(0.6);
  const [source, ...modules] = await files;
  python.unpackArchive(source, "zip", { extractDir: python.runPython("import site; site.getsitepackages()[0]") });
  tell(0.7);
  const provide = python.runPython("import json\nfrom tercet.kernel import webassembly\nlambda name, content, table: webassembly.provide(name, content.to_bytes(), json.loads(table.to_bytes()))");
  Object.keys(build.games).forEach((name, at) => provide(name, modules[2 * at], modules[2 * at + 1]));
  tell(0.8);
  const module = python.pyimport("tercet.browser.desk");
  const offered = module.offered();
  desk = module.Desk();
  postMessage({ offered: JSON.parse(offered) });
}

onmessage = async ({ data: { id, method, given } }) => {
  try {
    await started;
    postMessage({ id, answer: desk[method](...given) });
  } catch (error) {
    const lines = String(error.message ?? error).trim().split("\n");
    postMessage({ id, error: lines.at(-1).replace(/^[\w.]+: /, "") });
  }
};

const started = start().catch((error) => {
  postMessage({ failed: `Tercet could not start: ${error.message}` });
  throw error;
});
