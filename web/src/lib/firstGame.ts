/** The guided first game of each game: at which table it is played, and which ideas were seen. It is kept in the browser, and
 * whether it is done with one's progress in the lessons. */
import { keepProgress, progressOf } from "./progress";
import { recent } from "./seats";

const KEY = "tercet.first";
const LESSON = "first-game";

interface First {
  table: string;
  seen: string[];
}
const NONE: First = { table: "", seen: [] };

function load(): Record<string, First> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, First>;
  } catch {
    return {};
  }
}
function save(game: string, first: First): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...load(), [game]: first }));
  } catch {
    // A browser that stores nothing is not guided.
  }
}
const of = (game: string): First => load()[game] ?? NONE;

/** A table was opened by the button for newcomers: it is guided, unless one has played the game or been guided before. */
export function beginFirstGame(game: string, title: string, table: string): void {
  if (progressOf(game, LESSON).done || recent().some((one) => one.over && one.title === title)) return;
  save(game, { ...of(game), table });
}
export const isGuided = (game: string, table: string): boolean =>
  of(game).table === table && !progressOf(game, LESSON).done;

export const seenOf = (game: string): readonly string[] => of(game).seen;
export function keepSeen(game: string, idea: string, all: number): void {
  const first = of(game);
  const seen = [...first.seen, idea];
  save(game, { ...first, seen });
  keepProgress(game, LESSON, Math.min(seen.length, all - 1), all);
}
/** It was played to its end, or put away. */
export const endFirstGame = (game: string): void => keepProgress(game, LESSON, 1, 1);
