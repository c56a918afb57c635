/** The boards that "Play now" leads up to, by game: the step that it opens, and whether a win leads on to the next one.
 * Kept in this browser; nothing is locked. */
import type { GameData } from "./types";

const KEY = "tercet.ladder";
type Options = Readonly<Record<string, unknown>>;
interface Kept {
  step: number;
  /** the options of the last game won since that step was chosen */
  won?: Options;
}

function load(): Record<string, Kept | undefined> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, Kept>;
  } catch {
    return {};
  }
}
function save(game: string, kept: Kept): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ ...load(), [game]: kept }));
  } catch {
    // Without storage, "Play now" opens the first board.
  }
}

/** Return the boards, the `step` that comes next, and whether it is `fresh`: offered after a win, not chosen yet. */
export function ladderOf({ name, quickStart: { title, options, steps } }: GameData) {
  const boards = [{ title, options: options as Options, says: "" }, ...steps];
  const { step: kept = 0, won } = load()[name] ?? {};
  const step = Math.min(kept, steps.length);
  const fresh =
    won !== undefined &&
    step < steps.length &&
    Object.entries(boards[step]?.options ?? {}).every(([option, value]) => won[option] === value);
  return { boards, fresh, step: step + Number(fresh) };
}
export const keepStep = (game: string, step: number): void => save(game, { step });
export const keepWin = (game: string, won: Options): void => save(game, { step: 0, ...load()[game], won });
