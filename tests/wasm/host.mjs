// Computes tests/wasm/digest.py with the files of a built site, in Node (`node host.mjs FOLDER digest.py`) or in a
// browser, which sends what it found to the server that sent this file.
const inNode = typeof process !== "undefined";

async function digests(base, read, script) {
  const build = JSON.parse(new TextDecoder().decode(await read((await read.build()))));
  const indexURL = `${base}${build.pyodide}/`;
  const { loadPyodide } = await import(`${indexURL}pyodide.mjs`);
  const python = await loadPyodide({ indexURL: inNode ? indexURL.replace("file://", "") : indexURL });
  const packed = new Blob([await read(build.package)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { texts, data } = await new Response(packed).json();
  const place = python.runPython("import site; site.getsitepackages()[0]");
  const write = (path, content) => {
    python.FS.mkdirTree(`${place}/${path}`.replace(/\/[^/]*$/, ""));
    python.FS.writeFile(`${place}/${path}`, content);
  };
  for (const [path, text] of Object.entries(texts)) write(path, text);
  for (const [path, text] of Object.entries(data)) write(path, Uint8Array.from(atob(text), (one) => one.charCodeAt(0)));
  const provide = python.runPython(`import json
from tercet.kernel import webassembly
lambda name, content, table: webassembly.provide(name, content.to_bytes(), json.loads(table.to_bytes()))`);
  for (const [game, { module, table }] of Object.entries(build.games))
    provide(game, await read(module), await read(table));
  return python.runPython(`${new TextDecoder().decode(script)}\njson.dumps(digests("wasm"))`);
}

if (inNode) {
  const { readFile, readdir } = await import("node:fs/promises");
  const { pathToFileURL } = await import("node:url");
  const [, , folder, script] = process.argv;
  const read = async (name) => new Uint8Array(await readFile(`${folder}/${name}`));
  read.build = async () => (await readdir(folder)).find((name) => name.startsWith("build-"));
  const found = await digests(`${pathToFileURL(folder)}/`, read, await readFile(script)).catch((error) => {
    console.error(error.message); // Node would print the whole line of Pyodide
    process.exit(1);
  });
  console.log(found);
} else {
  const read = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());
  read.build = async () => (await fetch("build")).text();
  const found = await digests(new URL("./", location.href).href, read, await read("digest.py")).catch(String);
  await fetch("found", { method: "POST", body: found });
}
