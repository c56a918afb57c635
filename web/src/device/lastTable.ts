/** The latest state of the table that was open last: the next visit shows it before Python has started. */
const KEY = "tercet-last-table";

interface Last {
  build: string;
  /** the path of the table's socket, with the language */
  place: string;
  snapshot: string;
}

function placeOf(path: string): string {
  const { pathname, searchParams } = new URL(path, location.href);
  return `${pathname} ${searchParams.get("lang") ?? ""}`;
}

/** Keep a snapshot, but not one of a clock: it stands still while the page is closed. */
export function keepSnapshot(build: string, path: string, snapshot: string): void {
  const { state } = JSON.parse(snapshot) as { state: { clock: unknown } };
  try {
    if (state.clock) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, JSON.stringify({ build, place: placeOf(path), snapshot } satisfies Last));
  } catch {
    // without storage, the next visit waits for Python
  }
}

export function keptSnapshot(build: string, path: string): string | undefined {
  try {
    const last = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Last>;
    return last.build === build && last.place === placeOf(path) ? last.snapshot : undefined;
  } catch {
    return undefined;
  }
}
