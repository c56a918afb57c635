/** How far one has come in each lesson, kept in the browser. */

export interface Progress {
  /** how many steps are done */
  steps: number;
  done: boolean;
}
const KEY = "tercet.lessons";
const NONE: Progress = { steps: 0, done: false };
type Kept = Record<string, Progress>;

function load(): Kept {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "{}") as unknown;
    return found && typeof found === "object" ? (found as Kept) : {};
  } catch {
    return {};
  }
}

export const progressOf = (game: string, lesson: string): Progress => load()[`${game}/${lesson}`] ?? NONE;

/** `steps` of a lesson are done; it stays done when it is gone through again. */
export function keepProgress(game: string, lesson: string, steps: number, of: number): void {
  const kept = load();
  const before = kept[`${game}/${lesson}`] ?? NONE;
  const done = before.done || steps >= of;
  kept[`${game}/${lesson}`] = { steps: done && steps >= of ? 0 : steps, done };
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A browser that stores nothing still learns.
  }
}

/** The first lesson that is not done, or the first of all. */
export function nextLesson(game: string, ids: readonly string[]): string | undefined {
  return ids.find((id) => !progressOf(game, id).done) ?? ids[0];
}
