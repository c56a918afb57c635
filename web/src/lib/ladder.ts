/** The boards that "Play now" leads up to, by game, kept in this browser: a win offers the next one, nothing is locked. */
import { changes } from "./progress.svelte";
import { keep, kept } from "../storage/kept";
import type { GameData } from "./types";

type Options = Readonly<Record<string, unknown>>;
/** the step chosen, and the options of the last game won since */
type Kept = Record<string, { step: number; won?: Options } | undefined>;

const load = (): Kept => kept("ladder", {});
function save(changed: Kept): void {
  keep("ladder", { ...load(), ...changed });
  changes.count++;
}
export const keepStep = (game: string, step: number): void => save({ [game]: { step } });
export const keepWin = (game: string, won: Options): void => save({ [game]: { step: 0, ...load()[game], won } });

/** Return the boards, the `step` that comes next, and whether it is `fresh`: offered after a win, not chosen yet. */
export function ladderOf({ name, quickStart: { title, options, ladder } }: GameData) {
  void changes.count;
  const boards = [{ title, options: options as Options, help: "" }, ...ladder];
  const { step: kept = 0, won } = load()[name] ?? {};
  const step = Math.min(kept, ladder.length);
  const needed = Object.entries(boards[step]?.options ?? {});
  const fresh = !!won && step < ladder.length && needed.every(([option, value]) => won[option] === value);
  return { boards, fresh, step: step + Number(fresh) };
}
