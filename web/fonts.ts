/**
 * The fonts that travel with the page, cut down at build to what it needs: the text's letters and weights, and of the
 * Chinese font the characters that the games' own sources have. They are written beside the other packages, from where
 * main.ts takes their style sheet.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import subset from "subset-font";
import type { Plugin } from "vite";

const HERE = new URL("./node_modules/.fonts/", import.meta.url);
const PACKAGES = new URL("./node_modules/@fontsource-variable/", import.meta.url);
const GAMES = new URL("../src/tercet/games/", import.meta.url);
const TEXT = "source-serif-4";
const GLYPHS = "noto-serif-sc";
const WEIGHTS = { min: 400, max: 700 };
/** the characters of the Chinese font: whatever stands in the games' sources beyond Latin, signs and arrows */
const IDEOGRAPHS = /[\u3400-\u9fff]/g;

interface Face {
  family: string;
  file: string;
  style: string;
  weight: string;
  display: string;
  range: string;
}

function ranges(font: string): Record<string, string> {
  return JSON.parse(readFileSync(new URL(`${font}/unicode.json`, PACKAGES), "utf8")) as Record<string, string>;
}
/** All characters of a range as CSS writes it, up to U+FFFF. */
function charactersOf(range: string): string[] {
  return range.split(",").flatMap((part) => {
    const [from = 0, to = from] = part
      .replace("U+", "")
      .split("-")
      .map((code) => parseInt(code, 16));
    return Array.from({ length: to - from + 1 }, (_, i) => String.fromCodePoint(from + i));
  });
}
const inRange = (character: string, range: string): boolean => {
  const code = character.codePointAt(0) ?? 0;
  return range.split(",").some((part) => {
    const [from = 0, to = from] = part
      .replace(/U\+/i, "")
      .split("-")
      .map((one) => parseInt(one, 16));
    return code >= from && code <= to;
  });
};
const codes = (characters: readonly string[]): string =>
  characters.map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16)}`).join(",");

function ideographs(): string[] {
  const found = new Set<string>();
  for (const name of readdirSync(GAMES, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".py"))
      for (const one of readFileSync(new URL(name.replaceAll("\\", "/"), GAMES), "utf8").match(IDEOGRAPHS) ?? [])
        found.add(one);
  return [...found].sort();
}

async function cut(from: URL, to: string, characters: readonly string[], wght: number | typeof WEIGHTS): Promise<void> {
  const made = await subset(readFileSync(from), characters.join(""), {
    targetFormat: "woff2",
    variationAxes: { wght },
  });
  writeFileSync(new URL(to, HERE), made);
}

async function textFaces(): Promise<Face[]> {
  const faces: Face[] = [];
  for (const [part, range] of Object.entries(ranges(TEXT)))
    for (const style of part === "latin" ? ["normal", "italic"] : part === "latin-ext" ? ["normal"] : []) {
      const file = `text-${part}-${style}.woff2`;
      const source = new URL(`${TEXT}/files/${TEXT}-${part}-wght-${style}.woff2`, PACKAGES);
      await cut(source, file, charactersOf(range), WEIGHTS);
      faces.push({ family: "Tercet Serif", file, style, weight: "400 700", display: "swap", range });
    }
  return faces;
}

async function glyphFaces(): Promise<Face[]> {
  const faces: Face[] = [];
  const wanted = ideographs();
  for (const [part, range] of Object.entries(ranges(GLYPHS))) {
    const characters = wanted.filter((one) => inRange(one, range));
    if (!characters.length) continue;
    const number = part.replace(/[[\]]/g, "");
    const file = `glyphs-${number}.woff2`;
    await cut(new URL(`${GLYPHS}/files/${GLYPHS}-${number}-wght-normal.woff2`, PACKAGES), file, characters, 600);
    const range2 = codes(characters);
    faces.push({ family: "Tercet Glyphs", file, style: "normal", weight: "600", display: "block", range: range2 });
  }
  return faces;
}

const css = ({ family, file, style, weight, display, range }: Face): string =>
  `@font-face{font-family:"${family}";font-style:${style};font-weight:${weight};font-display:${display};` +
  `src:url("./${file}") format("woff2");unicode-range:${range}}\n`;

export function fonts(): Plugin {
  return {
    name: "tercet-fonts",
    async buildStart() {
      mkdirSync(fileURLToPath(HERE), { recursive: true });
      const faces = [...(await textFaces()), ...(await glyphFaces())];
      writeFileSync(new URL("fonts.css", HERE), faces.map(css).join(""));
    },
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle }) {
        const file = Object.keys(bundle ?? {}).find((name) => /text-latin-normal-.*\.woff2$/.test(name));
        const attrs = { rel: "preload", as: "font", type: "font/woff2", href: `/${file}`, crossorigin: true };
        return file ? [{ tag: "link", attrs, injectTo: "head" }] : [];
      },
    },
  };
}
