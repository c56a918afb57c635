/** Clocks, times and ratings in words. */
import type { Rating } from "./types";
import { locale, t, type PlainKey } from "../words/words";

const number = (value: unknown): number => (typeof value === "number" ? value : 0);
const minutes = (seconds: number): string =>
  seconds % 60 === 0 ? t("clock.minutes", { n: seconds / 60 }) : t("clock.seconds", { n: seconds });

export function clockWords(control: Record<string, unknown> | null | undefined): string {
  if (!control) return t("clock.none");
  const of = (name: string): number => number(control[name]);
  switch (control.kind) {
    case "fischer":
      return t("clock.fischer", { minutes: of("minutes"), seconds: of("increment") });
    case "byoyomi":
      return t("clock.byoyomi", { minutes: of("minutes"), periods: of("periods"), seconds: of("seconds") });
    case "move":
      return t("clock.aTurn", { time: minutes(60 * of("minutes")) });
    case "turn":
      return t("clock.aTurn", { time: minutes(of("seconds")) });
    case "correspondence":
      return t("clock.daysATurn", { n: of("days") });
    default:
      return t("clock.some");
  }
}

const SPEEDS = ["speed.blitz", "speed.rapid", "speed.classical", "speed.correspondence"] as const;
/** The speeds with their names. */
export const speeds = (): [string, string][] => SPEEDS.map((key) => [key.slice("speed.".length), t(key)]);
export const speedWord = (speed: string): string => speeds().find(([id]) => id === speed)?.[1] ?? "";

const RESULTS: Readonly<Record<string, PlainKey>> = {
  won: "list.won",
  drawn: "player.draws",
  lost: "list.lost",
  playing: "list.going",
  off: "list.off",
};
/** Return how a game ended for a player, in a word; empty for anything else. */
export const resultWord = (result = ""): string => (RESULTS[result] ? t(RESULTS[result]) : "");

/** Return how long ago a time was, in the largest unit that fits. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return t("clock.seconds", { n: seconds });
  if (seconds < 3600) return t("clock.minutes", { n: Math.floor(seconds / 60) });
  if (seconds < 86_400) return t("clock.hours", { n: Math.floor(seconds / 3600) });
  return t("clock.days", { n: Math.floor(seconds / 86_400) });
}
/** The server gives times in seconds or milliseconds since 1970. */
export const moment = (at: number | string): Date =>
  new Date(typeof at === "number" ? (at < 1e11 ? at * 1000 : at) : at);
export const when = (at: number | string): string => {
  const date = moment(at);
  const today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(
    locale,
    today
      ? { hour: "2-digit", minute: "2-digit" }
      : { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
  );
};
export const day = (at: number | string): string =>
  moment(at).toLocaleDateString(locale, { year: "numeric", month: "long", day: "numeric" });

/** Return a day (as 2026-11-25), or a part of it, in words. */
export const dayWords = (day: string, as: Intl.DateTimeFormatOptions): string =>
  new Date(`${day}T12:00:00Z`).toLocaleDateString(locale, { timeZone: "UTC", ...as });

export const rated = (rating: Rating | Pick<Rating, "rating" | "provisional"> | number | null | undefined): string => {
  if (rating == null) return "";
  if (typeof rating === "number") return String(Math.round(rating));
  const words = String(Math.round(rating.rating));
  return rating.provisional ? t("rating.about", { rating: words }) : words;
};
