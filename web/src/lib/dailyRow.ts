/** The days in a row on which the puzzle of the day was solved, kept in this browser. Days are UTC, as on the server. */
import { changes } from "./progress.svelte";
import { keep, kept } from "../storage/kept";

const DAY = 86_400_000; // milliseconds
const dayAt = (time: number): string => new Date(time).toISOString().slice(0, 10);
interface Row {
  last?: string;
  days?: number;
}

/** The puzzle of `day` was solved; it counts if that is today. */
export function keepDay(day: string, now = Date.now()): void {
  const { last, days = 0 } = kept<Row>("daily", {});
  if (day !== dayAt(now) || last === day) return;
  keep("daily", { last: day, days: last === dayAt(now - DAY) ? days + 1 : 1 });
  changes.count++;
}
/** Return how many days in a row there are, and whether today's is among them; a row lasts until a day is missed. */
export function daysInRow(now = Date.now()): { days: number; today: boolean } {
  void changes.count;
  const { last, days = 0 } = kept<Row>("daily", {});
  const today = last === dayAt(now);
  return { days: today || last === dayAt(now - DAY) ? days : 0, today };
}
