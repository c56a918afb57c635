/** Styles tell sizes of windows apart by the names of `breakpoints.css` alone. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const SOURCE = new URL("../src/", import.meta.url);
const styles = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
  (name) => /\.(css|svelte)$/.test(name) && name !== "breakpoints.css",
);

test.each(styles)("%s", (name) => {
  const queries = readFileSync(new URL(name, SOURCE), "utf8").match(/@media[^{]*/g) ?? [];
  expect(queries.filter((query) => /width|height|aspect/.test(query))).toEqual([]);
});
