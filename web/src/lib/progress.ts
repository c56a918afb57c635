/** How far one has come in each lesson: kept in the browser, and with the account of whoever is signed in. */
import { ask } from "./api";
import { signedIn } from "./me.svelte";
import { changes } from "./progressChanges.svelte";
import type { LessonProgressData, Person } from "./types";

export interface Progress {
  /** how many steps are done */
  steps: number;
  done: boolean;
  /** when that was so, in milliseconds */
  at?: number;
}
const KEY = "tercet.lessons";
/** whose progress the browser keeps: an account's handle, or nothing */
const WHOSE = "tercet.lessons.of";
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
function save(kept: Kept): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // A browser that stores nothing still learns.
  }
  changes.count++;
}

export function progressOf(game: string, lesson: string): Progress {
  void changes.count;
  return load()[`${game}/${lesson}`] ?? NONE;
}

/** `steps` of a lesson are done; it stays done when it is gone through again. */
export function keepProgress(game: string, lesson: string, steps: number, of: number): void {
  const kept = load();
  const before = kept[`${game}/${lesson}`] ?? NONE;
  const done = before.done || steps >= of;
  const now: Progress = { steps: done && steps >= of ? 0 : steps, done, at: Date.now() };
  save({ ...kept, [`${game}/${lesson}`]: now });
  if (signedIn()) void tell();
}

const written = (key: string, { steps, done, at = 0 }: Progress): LessonProgressData => {
  const [game = "", lesson = ""] = key.split("/");
  return { game, lesson, steps, done, at };
};

/** Add one's progress to what is kept with the account; all of that is kept here too, then. Without a server it stays
 * here. */
async function tell(): Promise<void> {
  const lessons = Object.entries(load()).map(([key, known]) => written(key, known));
  try {
    const all = (await ask.post("/api/me/lessons", { lessons })) as { lessons: LessonProgressData[] };
    save(Object.fromEntries(all.lessons.map(({ game, lesson, ...known }) => [`${game}/${lesson}`, known])));
  } catch {
    // It is told when one comes again.
  }
}

/** Somebody is known now, or nobody any more: what was learnt without an account goes to the account that signs in, and
 * what is an account's is no other's. */
export async function shareProgress(person: Person | null): Promise<void> {
  const now = person && person.kind !== "guest" ? (person.handle ?? "") : "";
  try {
    const before = localStorage.getItem(WHOSE) ?? "";
    if (before && before !== now) save({});
    if (before !== now) localStorage.setItem(WHOSE, now);
  } catch {
    // Nothing is kept here.
  }
  if (now) await tell();
}

/** The first lesson that is not done, or the first of all. */
export function nextLesson(game: string, ids: readonly string[]): string | undefined {
  return ids.find((id) => !progressOf(game, id).done) ?? ids[0];
}
