/** Best results in one-player games, kept in this browser: the fewest turns for each set of options. */
import { keep, kept } from "../storage/kept";

export interface Best {
  turns: number;
  when: number;
}

const all = (): Record<string, Best> => kept("best", {});

export const best = (game: string, options: string): Best | null => all()[`${game} ${options}`] ?? null;

/** Store a result and return the best one before it. */
export function noteResult(game: string, options: string, turns: number): Best | null {
  const known = all();
  const key = `${game} ${options}`;
  const before = known[key] ?? null;
  if (turns > 0 && (!before || turns < before.turns)) keep("best", { ...known, [key]: { turns, when: Date.now() } });
  return before;
}
