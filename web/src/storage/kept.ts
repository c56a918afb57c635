/**
 * What the page keeps in the browser, each under one name. What a name holds is said where it is used. A site without a
 * server keeps its games and progress in `database.ts`.
 */
const BROWSER = {
  settings: "tercet.settings",
  lobby: "tercet.lobby",
  ladder: "tercet.ladder",
  first: "tercet.first",
  lessons: "tercet.lessons",
  lessonsOf: "tercet.lessons.of",
  runs: "tercet.runs",
  daily: "tercet.daily",
  best: "tercet.best",
  recent: "tercet.recent",
  games: "tercet.games",
  called: "tercet.called",
  muted: "tercet.muted",
  /** by table */
  seats: "tercet.seats.",
  lastTable: "tercet-last-table",
  server: "tercet-server",
  /** by server */
  session: "tercet-server ",
} as const;
/** Names that last as long as the tab. */
const TAB = {
  analysis: "tercet.analysis",
  tree: "tercet.tree",
  engine: "tercet.engine",
  threats: "tercet.threats",
  played: "tercet.played",
  reloaded: "tercet.reloaded",
  declined: "tercet.offline.declined",
  /** by table */
  links: "tercet.links.",
  from: "tercet.from.",
} as const;
type Name = keyof typeof BROWSER | keyof typeof TAB;

const at = (name: Name): [Storage, string] =>
  name in BROWSER
    ? [localStorage, BROWSER[name as keyof typeof BROWSER]]
    : [sessionStorage, TAB[name as keyof typeof TAB]];

/** Return the text of a name, or of its part `of`; null if there is none, and where the browser refuses storage. */
export function keptText(name: Name, of = ""): string | null {
  try {
    const [storage, key] = at(name);
    return storage.getItem(key + of);
  } catch {
    return null;
  }
}

/** Keep a text, or forget it if it is null. Return false where storage is full or refused: the page goes on without. */
export function keepText(name: Name, text: string | null, of = ""): boolean {
  try {
    const [storage, key] = at(name);
    if (text === null) storage.removeItem(key + of);
    else storage.setItem(key + of, text);
    return true;
  } catch {
    return false;
  }
}

/** Return what is kept as JSON, or `otherwise` where that is missing, unreadable or of another kind. */
export function kept<T extends object>(name: Name, otherwise: T, of = ""): T {
  try {
    const found = JSON.parse(keptText(name, of) ?? "null") as T | null;
    return found && Array.isArray(found) === Array.isArray(otherwise) ? found : otherwise;
  } catch {
    return otherwise;
  }
}
export const keep = (name: Name, value: object, of = ""): boolean => keepText(name, JSON.stringify(value), of);

const EXPORTED = "tercet."; // prefix of the names that go into a file of the player's data
/** Return what the player's file of games and progress holds besides the database. */
export const allKept = (): [key: string, text: string][] =>
  Array.from({ length: localStorage.length }, (_, i) => localStorage.key(i) ?? "")
    .filter((key) => key.startsWith(EXPORTED))
    .map((key) => [key, localStorage.getItem(key) ?? ""]);
export function keepAll(entries: readonly (readonly [key: string, text: string])[]): void {
  for (const [key, text] of entries) if (key.startsWith(EXPORTED)) localStorage.setItem(key, text);
}
