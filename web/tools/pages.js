/** Writes src/lib/pages.generated.ts, the page's addresses, from the server's list of them. */
import { readFileSync, writeFileSync } from "node:fs";

const LIST = new URL("../../src/tercet/server/web/pages.json", import.meta.url);
const FILE = new URL("../src/lib/pages.generated.ts", import.meta.url);

writeFileSync(
  FILE,
  `/** The page's addresses, and the part of it that shows each. */\nexport const PAGES = ${readFileSync(LIST, "utf8").trim()} as const;\n`,
);
