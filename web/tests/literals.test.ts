/** No text for a person stands in the sources: all of it is in the catalogues. */
import { readdirSync, readFileSync } from "node:fs";
import { parse } from "svelte/compiler";
import { expect, test } from "vitest";

const SOURCE = new URL("../src/", import.meta.url);
const names = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
  (name) => /\.(ts|svelte)$/.test(name) && !/words\/|generated/.test(name),
);
const SPOKEN = new Set(["aria-label", "title", "placeholder", "alt", "label"]);
/** Names that are the same in every language, and what is code. */
const ALIKE = new Set(["Tercet", "XXXXX-XXXXX-XXXXX-XXXXX", "@bot", "Field required"]);
const isText = (text: string): boolean => /\p{L}{2}/u.test(text) && !ALIKE.has(text.replace(/·/g, "").trim());
/** A sentence or a title rather than a name of something in the code. */
const isSentence = (text: string): boolean => /^\p{Lu}\p{Ll}+(['’]\p{Ll}+)?[ ,.:;!?…]+.*\p{L}/u.test(text);

type Node = Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

function textsOf(node: unknown, found: string[]): void {
  if (Array.isArray(node)) return node.forEach((one) => textsOf(one, found));
  if (!isNode(node)) return;
  if (node.type === "StyleDirective") return;
  if (node.type === "Attribute") {
    if (node.name === "class" || node.name === "style") return;
    const values = Array.isArray(node.value) ? (node.value as Node[]) : [];
    if (SPOKEN.has(String(node.name)))
      found.push(...values.filter((one) => one.type === "Text").map((one) => String(one.data)));
    values.filter((one) => one.type !== "Text").forEach((one) => textsOf(one, found));
    if (isNode(node.value) && !Array.isArray(node.value)) textsOf(node.value, found);
    return;
  }
  if (node.type === "Text") found.push(String(node.data));
  if (node.type === "Literal" && typeof node.value === "string" && isSentence(node.value)) found.push(node.value);
  if (node.type === "TemplateElement") {
    const text = (node.value as { cooked?: string }).cooked ?? "";
    if (/(^|\s)\p{L}{2,}\s+\p{L}{2,}([\s.,:]|$)/u.test(text) || isSentence(text)) found.push(text);
  }
  for (const [key, value] of Object.entries(node)) if (key !== "css" && key !== "loc") textsOf(value, found);
}

test.each(names.filter((name) => name.endsWith(".svelte")))("%s says nothing itself", (name) => {
  const tree = parse(readFileSync(new URL(name, SOURCE), "utf8"), { modern: true });
  const found: string[] = [];
  textsOf(tree.fragment, found);
  textsOf(tree.instance?.content, found);
  expect(found.filter(isText)).toEqual([]);
});

test("neither do modules", () => {
  const found = names
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => {
      const code = readFileSync(new URL(name, SOURCE), "utf8").replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "");
      const strings = [...code.matchAll(/"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g)].map(
        (one) => one[1] ?? one[2] ?? "",
      );
      return strings.filter((text) => isSentence(text) && isText(text)).map((text) => `${name}: ${text}`);
    });
  expect(found).toEqual([]);
});
