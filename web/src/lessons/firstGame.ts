/** The guided first game of each game: its table and the ideas already shown. It is kept in the browser; whether it
 * is finished is kept with the progress in the lessons. */
import { changes, keepProgress, progressOf } from "../lib/progress.svelte";
import { recent } from "../lib/seats";
import { keep, kept } from "../storage/kept";

const LESSON = "first-game";

interface First {
  table: string;
  seen: readonly string[];
  /** those shown since the last move: they do not count if the table is left without one */
  unanswered?: readonly string[];
  /** those shown last before a move: they come again where that turn is tried again */
  last?: readonly string[];
  /** whether a turn of it is tried again at this table, after the guide's end */
  again?: boolean;
  /** whether the guide has ended and speaks at this table of what is new only */
  onwards?: boolean;
}
const NONE: First = { table: "", seen: [] };

const load = (): Record<string, First> => kept("first", {});
const save = (game: string, first: First): void => void keep("first", { ...load(), [game]: first });
const of = (game: string): First => load()[game] ?? NONE;

/** Guide the game at a table that the newcomers' button opened, unless the player has played or been guided before. */
export function beginFirstGame(game: string, title: string, table: string): void {
  if (progressOf(game, LESSON).done || recent().some((one) => one.over && one.title === title)) return;
  save(game, { table, seen: of(game).seen });
  changes.count++;
}
/** Guide on against another opponent, with ideas that were not shown yet, a player who was guided before and has not
 * closed the guide. */
export function guideOnwards(game: string, table: string): void {
  const first = of(game);
  if (first.table) save(game, { ...first, table, again: true, onwards: progressOf(game, LESSON).done });
  changes.count++;
}
/** Whether the guide speaks of what is new only. */
export const isOnwards = (game: string): boolean => of(game).onwards === true;
export function isGuided(game: string, table: string): boolean {
  void changes.count;
  const { done } = progressOf(game, LESSON);
  const first = of(game);
  return first.table === table && (!done || first.again === true);
}
/** Guide on at a table where a turn of the guided game is tried again, unless the player has closed the guide. */
export function guideAgain(game: string, from: string, table: string): void {
  const { table: guided, seen, last = [], onwards = false } = of(game);
  if (guided === from) save(game, { table, seen: seen.filter((idea) => !last.includes(idea)), again: true, onwards });
}

export function seenOf(game: string): readonly string[] {
  const { seen, unanswered = [] } = of(game);
  return [...seen, ...unanswered];
}
export function keepSeen(game: string, idea: string, all: number): void {
  const first = of(game);
  save(game, { ...first, unanswered: [...(first.unanswered ?? []), idea] });
  keepProgress(game, LESSON, Math.min(seenOf(game).length, all - 1), all);
}
/** A move was played: the ideas shown before it are never shown again, at another table either. */
export function keepAnswered(game: string): void {
  const { unanswered = [], ...first } = of(game);
  save(game, { ...first, seen: seenOf(game), ...(unanswered.length ? { last: unanswered } : {}) });
}
/** End the guide: the game is over, or the player has `closed` it for good. */
export function endFirstGame(game: string, closed = false): void {
  save(game, { ...of(game), again: false, ...(closed ? { table: "" } : {}) });
  keepProgress(game, LESSON, 1, 1);
}
