/** The progress in each lesson, kept in the browser and with the player's account. */
import { ask } from "./api";
import { signedIn } from "./me.svelte";
import { keep, keepText, kept, keptText } from "../storage/kept";
import type { LessonProgressData, Person } from "./types";

/** Counts changes of the progress, so that pages refresh. */
export const changes = $state({ count: 0 });

interface Progress {
  /** the number of finished steps */
  steps: number;
  done: boolean;
  /** the time of the last change, in milliseconds */
  at?: number;
}
const NONE: Progress = { steps: 0, done: false };
type Kept = Record<string, Progress>;

const load = (): Kept => kept("lessons", {});
function save(all: Kept): void {
  keep("lessons", all);
  changes.count++;
}

export function progressOf(game: string, lesson: string): Progress {
  void changes.count;
  return load()[`${game}/${lesson}`] ?? NONE;
}

/** Store that `steps` of a lesson are done. A finished lesson stays finished when it is repeated. */
export function keepProgress(game: string, lesson: string, steps: number, of: number): void {
  const all = load();
  const before = all[`${game}/${lesson}`] ?? NONE;
  const done = before.done || steps >= of;
  const now: Progress = { steps: done && steps >= of ? 0 : steps, done, at: Date.now() };
  save({ ...all, [`${game}/${lesson}`]: now });
  if (signedIn()) void tell();
}

/** Send this browser's progress to the account and store the account's. Without a server, it stays here. */
async function tell(): Promise<void> {
  const lessons = Object.entries(load()).map(([key, { steps, done, at = 0 }]): LessonProgressData => {
    const [game = "", lesson = ""] = key.split("/");
    return { game, lesson, steps, done, at };
  });
  try {
    const all = await ask("POST /api/me/lessons", { lessons });
    save(Object.fromEntries(all.lessons.map(({ game, lesson, ...known }) => [`${game}/${lesson}`, known])));
  } catch {
    // It is sent at the next visit.
  }
}

/** Adapt to a sign-in or sign-out: a guest's progress moves to the account that signs in, and no account sees the
 * progress of another. */
export async function shareProgress(person: Person | null): Promise<void> {
  const now = person && person.kind !== "guest" ? (person.handle ?? "") : "";
  const before = keptText("lessonsOf") ?? ""; // the handle of the account whose progress it is; empty for a guest
  if (before && before !== now) save({});
  if (before !== now) keepText("lessonsOf", now);
  if (now) await tell();
}

/** Return the first unfinished lesson, or the first of all. */
export function nextLesson(game: string, lessons: readonly { id: string }[]): string | undefined {
  return (lessons.find(({ id }) => !progressOf(game, id).done) ?? lessons[0])?.id;
}
