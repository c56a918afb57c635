/** The ladder of each game: its computer opponents, each on a board that grows with them; who comes next and who was
 * beaten are kept in this browser. Nothing is locked. */
import { ask } from "./api";
import { backend } from "./backend";
import { changes } from "./progress.svelte";
import { keep, kept } from "../storage/kept";
import type { GameData, LevelResponse } from "./types";

type Options = Readonly<Record<string, unknown>>;
/** the level that comes next, whether a win led to it, and the levels beaten */
interface Kept {
  next?: number;
  fresh?: boolean;
  beaten?: number[];
  /** a step on the boards, as older versions kept it */
  step?: number;
}
/** An opponent: its level, name and character, and the board that "Play now" opens against it. */
export interface Rung {
  level: number;
  name: string;
  says: string;
  board: { title: string; options: Options; help: string };
  beaten: boolean;
}

const load = (): Record<string, Kept | undefined> => kept("ladder", {});
function save(game: string, changed: Kept): void {
  const all = load();
  keep("ladder", { ...all, [game]: { ...all[game], ...changed } });
  changes.count++;
}
/** The player chose this level, or plays it. */
export const keepNext = (game: string, next: number): void => save(game, { next, fresh: false });
/** The player has beaten this level: the next one that they have not beaten follows. */
export function keepBeaten(game: string, level: number, levels: number): void {
  const beaten = [...new Set([...(load()[game]?.beaten ?? []), level])];
  let next = level;
  while (next < levels && beaten.includes(next)) next++;
  save(game, { beaten, next, fresh: next !== level });
}

/** Return the rungs of a game's ladder, the one that comes `next`, the one `before` it, and whether a win led there
 * that has not been played yet. */
export function ladderOf({ name, levels, quickStart: { title, options, level: first, ladder } }: GameData) {
  void changes.count;
  const boards = [{ title, options: options as Options, help: "" }, ...ladder];
  const { next, fresh = false, beaten = [], step = 0 } = load()[name] ?? {};
  const rungs = levels.map(({ number, title, help }): Rung => {
    const board = boards[Math.max(0, Math.min(number - first, boards.length - 1))] ?? boards[0];
    return { level: number, name: title, says: help, board: board as Rung["board"], beaten: beaten.includes(number) };
  });
  const at = Math.max(0, Math.min((next ?? first + step) - 1, rungs.length - 1));
  return { rungs, next: rungs[at] as Rung, before: rungs[at - 1], fresh };
}

/** Return whether a game with these options is played on that board. */
export const isOn = (board: Rung["board"], options: Options): boolean =>
  Object.entries(board.options).every(([option, value]) => options[option] === value);

/** What the computer opponents of a game are worth in people's ratings, where a server has learnt it. */
export type LevelRatings = ReadonlyMap<number, NonNullable<LevelResponse["rating"]>>;

export async function levelRatings(game: string): Promise<LevelRatings> {
  if (!backend.people) return new Map();
  const lines = await ask("GET /api/levels/{game}", { game }, { quiet: true }).catch(() => []);
  return new Map(lines.flatMap(({ level, rating }) => (rating ? [[level, rating] as const] : [])));
}
/** The number of a level, with ? while it is uncertain; empty where nothing is known. */
export function levelRating(known: LevelRatings, level: number): string {
  const rating = known.get(level);
  return rating ? `${rating.rating}${rating.provisional ? "?" : ""}` : "";
}
