/**
 * Clocks that run on between two messages of the server. Only the server's time counts. What passes is measured by the
 * page's own clock, which goes on evenly when the device's clock is set, but may stand while the device sleeps. Either
 * moves the two apart: then the server is asked for its time.
 */
import { when } from "../lib/format";
import type { Clock } from "../lib/types";
import { t } from "../words/words";

const now = $state({ at: performance.now() });
const APART = 1000;
const drift = (): number => Date.now() - performance.now();
let apart = drift();
/** asks the server for its time */
let ask = (): void => undefined;
let timer: ReturnType<typeof setInterval> | undefined;
/** milliseconds by which the server's clock is ahead of this one; until the server has said its time, the device's */
let ahead = apart;
let newest = 0;

function tick(): void {
  now.at = performance.now();
  if (Math.abs(drift() - apart) < APART) return;
  apart = drift();
  if (!newest) ahead = apart;
  ask();
}
/** Take the time from a message of the server. With `watched`, the time of an absent player counts too. `unsure` asks
 * for another message. */
export function heard(clock: Clock | null | undefined, watched = false, unsure = ask): void {
  ask = unsure;
  if (clock && clock.at > newest) {
    newest = clock.at;
    ahead = clock.at - performance.now();
  }
  tick();
  if (clock?.running != null || watched) timer ??= setInterval(tick, 200);
  else {
    clearInterval(timer);
    timer = undefined;
  }
}
/** The server's time in milliseconds, as this browser estimates it. */
export const serverTime = (): number => now.at + ahead;

const two = (n: number): string => String(n).padStart(2, "0");

export function timeLeft(clock: Clock, seat: number): { text: string; words: string; title?: string; short: boolean } {
  const sent = clock.left[seat] ?? 0;
  const away = clock.away?.[seat] ?? 0;
  if (away > serverTime()) {
    const words = t("clock.vacationUntil", { day: when(away / 1000) });
    return { text: t("clock.vacation"), words, title: words, short: false };
  }
  const passed = Math.max(0, serverTime() - Math.max(clock.at, away));
  const left = Math.max(0, clock.running === seat ? sent - passed : sent);
  const seconds = Math.floor(left / 1000);
  const days = Math.floor(seconds / 86400);
  const hours = Math.floor(seconds / 3600) % 24;
  const minutes = Math.floor(seconds / 60) % 60;
  const periods = clock.periods?.[seat];
  const text =
    days > 0
      ? t("clock.daysHours", { days, hours })
      : hours > 0
        ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
        : left < 10_000
          ? `0:${two(seconds)}.${Math.floor((left % 1000) / 100)}`
          : `${minutes}:${two(seconds % 60)}`;
  return {
    text: periods === undefined ? text : `${text} (${periods})`,
    words:
      days > 0
        ? t("clock.daysLeft", { n: days })
        : t("clock.timeLeft", { minutes: minutes + 60 * hours, seconds: seconds % 60 }),
    short: clock.running === seat && left < 20_000 && days === 0,
  };
}
