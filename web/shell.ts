/**
 * What makes the page installable, made at build: icons in the sizes that devices ask for, drawn here from the same
 * figures as assets/tercet.svg, and the worker that keeps the page's own files (never games, never rules).
 */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { deflateSync } from "node:zlib";
import type { Plugin } from "vite";

type Colour = readonly [number, number, number];

const INK: Colour = [38, 36, 31];
const PAPER: Colour = [251, 248, 241];
const RED: Colour = [203, 70, 48];
const GOLD: Colour = [224, 169, 27];
const BLUE: Colour = [36, 80, 143];
const FINE = 4; // samples a pixel, each way

/** How far a point is inside the hexagon that stands on a corner, by the distance of its sides from the middle. */
const reach = (x: number, y: number): number =>
  Math.max(Math.abs(x), Math.abs(x) / 2 + (Math.abs(y) * Math.sqrt(3)) / 2);

/** The colour of the emblem at a point of a square from -1.2 to 1.2, null where there is none. */
function emblem(x: number, y: number): Colour | null {
  if (Math.hypot(x, y + 0.46) < 0.33) return RED;
  if (x > -0.69 && x < -0.11 && y > 0.04 && y < 0.62) return GOLD;
  const down = (y + 0.02) / 0.62;
  if (down > 0 && down < 1 && Math.abs(x - 0.42) < 0.35 * down) return BLUE;
  const out = reach(x, y);
  return out < 0.903 ? PAPER : out < 1.003 ? INK : null;
}

/** `part`: how much of the icon's width the emblem takes; `ground`: the colour behind it, null for none. */
function picture(size: number, part: number, ground: Colour | null): Buffer {
  const rows = Buffer.alloc(size * (4 * size + 1));
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++) {
      const sum = [0, 0, 0];
      let seen = 0;
      for (let i = 0; i < FINE * FINE; i++) {
        const x = (((column + ((i % FINE) + 0.5) / FINE) / size) * 2 - 1) * (1.03 / part);
        const y = (((row + (Math.floor(i / FINE) + 0.5) / FINE) / size) * 2 - 1) * (1.13 / part);
        const colour = emblem(x * (1.13 / 1.03), y) ?? ground;
        if (!colour) continue;
        seen++;
        colour.forEach((value, k) => (sum[k] = (sum[k] ?? 0) + value));
      }
      const at = row * (4 * size + 1) + 1 + 4 * column;
      sum.forEach((value, k) => (rows[at + k] = seen ? Math.round(value / seen) : 0));
      rows[at + 3] = Math.round((255 * seen) / (FINE * FINE));
    }
  return png(size, rows);
}

const CRCS = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});
function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, "latin1"), data]);
  let crc = 0xffffffff;
  for (const byte of body) crc = (CRCS[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
  const made = Buffer.alloc(body.length + 8);
  made.writeUInt32BE(data.length, 0);
  body.copy(made, 4);
  made.writeUInt32BE((crc ^ 0xffffffff) >>> 0, body.length + 4);
  return made;
}
function png(size: number, rows: Buffer): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const ICONS: Record<string, () => Buffer> = {
  "assets/icon192.png": () => picture(192, 1, null),
  "assets/icon512.png": () => picture(512, 1, null),
  "assets/iconmaskable.png": () => picture(512, 0.66, PAPER),
  "assets/icontouch.png": () => picture(180, 0.82, PAPER),
};

/** Files that only the static site needs. */
const ELSEWHERE = /^assets\/device/i;

export function shell(): Plugin {
  return {
    name: "tercet-shell",
    apply: "build",
    /** The page has many addresses, so its own links are absolute. Other files use relative ones. */
    transformIndexHtml: { order: "post", handler: (html) => html.replaceAll('="./', '="/') },
    generateBundle(_options, bundle) {
      for (const [fileName, draw] of Object.entries(ICONS)) this.emitFile({ type: "asset", fileName, source: draw() });
      const digest = createHash("sha256");
      const words = Object.fromEntries(
        Object.entries(bundle).flatMap(([name, one]) => {
          const language = one.type === "chunk" && /\/src\/words\/(\w\w)\.ts$/.exec(one.facadeModuleId ?? "")?.[1];
          return language ? [[language, `/${name}`]] : [];
        }),
      );
      const texts = new Set(Object.values(words));
      const files = Object.keys(bundle)
        .filter((name) => name.startsWith("assets/") && !ELSEWHERE.test(name) && !texts.has(`/${name}`))
        .sort();
      const fixed = readdirSync(new URL("public/assets", import.meta.url)).map((name) => `assets/${name}`);
      for (const name of [...files, ...texts]) digest.update(name);
      for (const name of ["index.html", "worker.js", "shell.ts", ...fixed.map((one) => `public/${one}`)])
        digest.update(readFileSync(new URL(name, import.meta.url)));
      const list = ["/", ...files, ...fixed, ...Object.keys(ICONS)].map((name) => (name === "/" ? name : `/${name}`));
      const source = readFileSync(new URL("worker.js", import.meta.url), "utf8")
        .replace('"VERSION"', JSON.stringify(digest.digest("hex").slice(0, 12)))
        .replace('["FILES"]', JSON.stringify([...new Set(list)]))
        .replace('{ en: "WORDS" }', JSON.stringify(words));
      this.emitFile({ type: "asset", fileName: "worker.js", source });
    },
  };
}
