/** Best results in one-player games, kept in this browser: the fewest turns for each set of options. */
const KEY = "tercet.best";

export interface Best {
  turns: number;
  when: number;
}

function all(): Record<string, Best> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, Best>;
  } catch {
    return {};
  }
}

export const best = (game: string, options: string): Best | null => all()[`${game} ${options}`] ?? null;

/** Store a result and return the best one before it. */
export function noteResult(game: string, options: string, turns: number): Best | null {
  const known = all();
  const key = `${game} ${options}`;
  const before = known[key] ?? null;
  if (turns > 0 && (!before || turns < before.turns)) {
    try {
      localStorage.setItem(KEY, JSON.stringify({ ...known, [key]: { turns, when: Date.now() } }));
    } catch {
      // this browser has no storage
    }
  }
  return before;
}
