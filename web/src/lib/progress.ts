/** The progress in each lesson, kept in the browser and with the player's account. */
import { ask } from "./api";
import { signedIn } from "./me.svelte";
import { changes } from "./progressChanges.svelte";
import type { LessonProgressData, Person } from "./types";

export interface Progress {
  /** the number of finished steps */
  steps: number;
  done: boolean;
  /** the time of the last change, in milliseconds */
  at?: number;
}
const KEY = "tercet.lessons";
/** key of the account handle whose progress the browser keeps; empty for a guest */
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
    // Without storage, lessons still work.
  }
  changes.count++;
}

export function progressOf(game: string, lesson: string): Progress {
  void changes.count;
  return load()[`${game}/${lesson}`] ?? NONE;
}

/** Store that `steps` of a lesson are done. A finished lesson stays finished when it is repeated. */
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

/** Send this browser's progress to the account and store the account's. Without a server, it stays here. */
async function tell(): Promise<void> {
  const lessons = Object.entries(load()).map(([key, known]) => written(key, known));
  try {
    const all = (await ask.post("/api/me/lessons", { lessons })) as { lessons: LessonProgressData[] };
    save(Object.fromEntries(all.lessons.map(({ game, lesson, ...known }) => [`${game}/${lesson}`, known])));
  } catch {
    // It is sent at the next visit.
  }
}

/** Adapt to a sign-in or sign-out: a guest's progress moves to the account that signs in, and no account sees the
 * progress of another. */
export async function shareProgress(person: Person | null): Promise<void> {
  const now = person && person.kind !== "guest" ? (person.handle ?? "") : "";
  try {
    const before = localStorage.getItem(WHOSE) ?? "";
    if (before && before !== now) save({});
    if (before !== now) localStorage.setItem(WHOSE, now);
  } catch {
    // This browser has no storage.
  }
  if (now) await tell();
}

/** Return the first unfinished lesson, or the first of all. */
export function nextLesson(game: string, ids: readonly string[]): string | undefined {
  return ids.find((id) => !progressOf(game, id).done) ?? ids[0];
}
