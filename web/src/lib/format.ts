/** How clocks, times and ratings are said. */
import type { Rating } from "./types";

const number = (value: unknown): number => (typeof value === "number" ? value : 0);
const minutes = (seconds: number): string => (seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`);

export function clockWords(control: Record<string, unknown> | null | undefined): string {
  if (!control) return "no clock";
  const of = (name: string): number => number(control[name]);
  switch (control.kind) {
    case "fischer":
      return `${of("minutes")} min + ${of("increment")} s`;
    case "byoyomi":
      return `${of("minutes")} min, then ${of("periods")} × ${of("seconds")} s`;
    case "move":
      return `${of("minutes")} min a turn`;
    case "turn":
      return `${minutes(of("seconds"))} a turn`;
    case "correspondence":
      return of("days") === 1 ? "a day a turn" : `${of("days")} days a turn`;
    default:
      return "a clock";
  }
}

export const SPEEDS: [string, string][] = [
  ["blitz", "Blitz"],
  ["rapid", "Rapid"],
  ["classical", "Classical"],
  ["correspondence", "Correspondence"],
];
export const speedWord = (speed: string): string => SPEEDS.find(([id]) => id === speed)?.[1] ?? "";

/** How long ago, in the largest unit that is right. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  const days = Math.floor(seconds / 86_400);
  return days === 1 ? "a day" : `${days} days`;
}
/** The server gives times in seconds or milliseconds since 1970. */
export const moment = (at: number | string): Date =>
  new Date(typeof at === "number" ? (at < 1e11 ? at * 1000 : at) : at);
export const when = (at: number | string): string => {
  const date = moment(at);
  const today = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(
    undefined,
    today
      ? { hour: "2-digit", minute: "2-digit" }
      : { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" },
  );
};
export const day = (at: number | string): string =>
  moment(at).toLocaleDateString(undefined, { year: "numeric", month: "long", day: "numeric" });

export const rated = (rating: Rating | number | null | undefined): string => {
  if (rating == null) return "";
  if (typeof rating === "number") return String(Math.round(rating));
  return `${Math.round(rating.rating)}${rating.provisional ? "?" : ""}`;
};
