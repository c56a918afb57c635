/** What is settled about a table besides the game: clocks, taking back, who may watch, what if somebody goes. */
import type { TableWish } from "./api";

export const CLOCKS: Record<string, [string, Record<string, unknown> | null]> = {
  none: ["No clock", null],
  blitz: ["3 minutes and 2 seconds a turn", { kind: "fischer", minutes: 3, increment: 2 }],
  short: ["5 minutes and 3 seconds a turn", { kind: "fischer", minutes: 5, increment: 3 }],
  long: ["15 minutes and 10 seconds a turn", { kind: "fischer", minutes: 15, increment: 10 }],
  byoyomi: ["10 minutes, then 5 times 30 seconds", { kind: "byoyomi", minutes: 10, periods: 5, seconds: 30 }],
  egg: ["Egg timer: 3 minutes a turn", { kind: "turn", seconds: 180 }],
  move: ["10 minutes a move", { kind: "move", minutes: 10 }],
  days: ["3 days a turn", { kind: "correspondence", days: 3 }],
};
export const GONE: Record<string, [string, { after: number; then: string[] } | null]> = {
  usual: ["The others may end the game after 2 minutes", { after: 120, then: ["win", "engine"] }],
  engine: ["An engine plays on after 2 minutes", { after: 120, then: ["engine"] }],
  wait: ["The others wait", null],
};
export const WATCH: Record<string, string> = {
  "": "As usual: listed if a seat is for anybody",
  public: "Anybody: it is listed",
  link: "Whoever has the link",
  private: "Nobody",
};

export interface Rules {
  clock: string;
  /** of a clock for each move: ten or a multiple */
  minutes: number;
  takebacks: "consent" | "own" | "off";
  confirm: boolean;
  chat: boolean;
  watch: string;
  rated: boolean;
  gone: string;
}

/** A number of minutes that a clock for each move can have. */
export const wholeTens = (minutes: number): number =>
  Math.min(1440, Math.max(10, Number.isFinite(minutes) ? Math.round(minutes / 10) * 10 : 10));

/** The clock in words. */
export const clockWords = (rules: Rules): string =>
  rules.clock === "move" ? `${rules.minutes} minutes a move` : (CLOCKS[rules.clock]?.[0] ?? "No clock");

/** Rules as they were kept, as far as they still make sense. */
export const rulesFrom = (
  old: Partial<Rules> | undefined,
  players: number,
  usual: Rules["takebacks"] = "consent",
): Rules => ({
  clock: old?.clock && old.clock in CLOCKS ? old.clock : "none",
  minutes: wholeTens(old?.minutes ?? 10),
  takebacks: old?.takebacks ?? usual,
  confirm: old?.confirm ?? false,
  chat: old?.chat ?? players < 3,
  watch: old?.watch && old.watch in WATCH ? old.watch : "",
  rated: old?.rated ?? false,
  gone: old?.gone && old.gone in GONE ? old.gone : "usual",
});

/** What the server is asked for. */
export function rulesWish(rules: Rules, withOthers: boolean, mayRate: boolean): Partial<TableWish> {
  const chosen = CLOCKS[rules.clock]?.[1];
  const clock = chosen?.kind === "move" ? { ...chosen, minutes: wholeTens(rules.minutes) } : chosen;
  const live = clock && clock.kind !== "correspondence";
  return {
    takebacks: rules.takebacks,
    confirm: rules.confirm,
    chat: rules.chat,
    ...(withOthers && rules.watch ? { watch: rules.watch } : {}),
    ...(mayRate && rules.rated ? { rated: true } : {}),
    ...(live && withOthers && rules.gone !== "usual" ? { gone: GONE[rules.gone]?.[1] ?? null } : {}),
    ...(clock ? { clock } : {}),
  };
}
