/**
 * Writes src/lib/protocol.generated.ts from the server's types (`python -m tercet.server.schema` prints their JSON
 * Schema): the messages, and for each address what is given and answered. TERCET_PYTHON names the Python.
 */
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { compile } from "json-schema-to-typescript";
import { format, resolveConfig } from "prettier";
import "./pages.js";

const FILE = new URL("../src/lib/protocol.generated.ts", import.meta.url).pathname;
const HEAD = "/* Made from the server's types by `npm run types`. Not to be changed by hand. */";

/**
 * The schema as the generator reads it: without the titles of properties, which would become names of types, without
 * the lengths of lists, and with tuples in the words of the draft that it knows.
 */
function readable(schema) {
  if (Array.isArray(schema)) return schema.map(readable);
  if (schema === null || typeof schema !== "object") return schema;
  const kept = Object.entries(schema).filter(
    ([name, value]) =>
      !(name === "title" && typeof value === "string") && (schema.prefixItems || !/^(min|max)Items$/.test(name)),
  );
  const { prefixItems, ...found } = Object.fromEntries(kept.map(([name, value]) => [name, readable(value)]));
  return prefixItems ? { ...found, items: prefixItems, additionalItems: false } : found;
}

/** An object in which every one of `properties` is there. */
const object = (properties) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

const here = new URL("../../.venv/bin/python", import.meta.url).pathname;
const python = process.env.TERCET_PYTHON ?? (existsSync(here) ? here : "python3");
const printed = execFileSync(python, ["-m", "tercet.server.schema"], { maxBuffer: 1 << 26, encoding: "utf8" });
const { $defs, sockets, requests } = JSON.parse(printed);
const definitions = {
  ...$defs,
  Sockets: {
    ...object(Object.fromEntries(Object.entries(sockets).map(([path, said]) => [path, object(said)]))),
    description: "What is said on each socket.",
  },
  Requests: {
    ...object(Object.fromEntries(Object.entries(requests).map(([asked, said]) => [asked, object(said)]))),
    description: "What is given and answered at each address.",
  },
};
const root = readable({ $defs: definitions, ...object({}) });

/** The properties of a definition as texts that can be compared. */
const listed = ({ properties = {}, required = [] }) =>
  Object.entries(properties).map(([name, value]) => JSON.stringify([name, value, required.includes(name)]));

/** Let each definition that has all properties of others, four or more, extend the one it shares most with. */
const whole = Object.entries(root.$defs).map(([name, found]) => [name, listed(found)]);
for (const [name, own] of whole) {
  const [base, shared] = whole
    .filter(([, parts]) => parts.length >= 4 && parts.length < own.length && parts.every((part) => own.includes(part)))
    .reduce((most, next) => (next[1].length > most[1].length ? next : most), ["", []]);
  if (!base) continue;
  const found = root.$defs[name];
  found.extends = { $ref: `#/$defs/${base}` };
  found.properties = Object.fromEntries(Object.entries(found.properties).filter((_, at) => !shared.includes(own[at])));
  found.required = found.required?.filter((key) => key in found.properties);
}

const made = await compile(root, "Protocol", {
  additionalProperties: false,
  bannerComment: HEAD,
  unreachableDefinitions: true,
  format: false,
});
const tidy = made
  .replace(/export interface Protocol \{\s*\}/, "")
  .replaceAll(/ {3}\* @(min|max)Items \d+\n/g, "")
  .replaceAll(
    /( \* ?\n)? \* This interface was referenced by `Protocol`'s JSON-Schema\n \* via the `definition` ".*"\.\n/g,
    "",
  )
  .replaceAll(/\/\*\*\n \* (.{1,113})\n \*\//g, "/** $1 */")
  .replaceAll(/\{\s*\[k: string\]: ([^;{}]+);?\s*\}/g, "Record<string, $1>");
writeFileSync(FILE, await format(tidy, { ...(await resolveConfig(FILE)), parser: "typescript" }));
