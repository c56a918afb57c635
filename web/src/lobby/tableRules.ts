/** The rules of a table besides the game: clocks, takebacks, spectators and absent players. */
import type { TableWish } from "../lib/api";
import { t, upper, type PlainKey } from "../words/words";

export const CLOCKS: Record<string, [PlainKey, Record<string, unknown> | null]> = {
  none: ["clock.none", null],
  blitz: ["rules.blitz", { kind: "fischer", minutes: 3, increment: 2 }],
  short: ["rules.short", { kind: "fischer", minutes: 5, increment: 3 }],
  long: ["rules.long", { kind: "fischer", minutes: 15, increment: 10 }],
  byoyomi: ["rules.byoyomi", { kind: "byoyomi", minutes: 10, periods: 5, seconds: 30 }],
  egg: ["rules.egg", { kind: "turn", seconds: 180 }],
  move: ["rules.move", { kind: "move", minutes: 10 }],
  days: ["rules.days", { kind: "correspondence", days: 3 }],
};
export const GONE: Record<string, [PlainKey, TableWish["gone"]]> = {
  usual: ["rules.goneUsual", { after: 120, then: ["win", "engine"] }],
  engine: ["rules.goneEngine", { after: 120, then: ["engine"] }],
  wait: ["rules.goneWait", null],
};
export const WATCH: Record<string, PlainKey> = {
  "": "rules.watchUsual",
  public: "rules.watchPublic",
  link: "rules.watchLink",
  private: "rules.watchPrivate",
};

export interface Rules {
  clock: string;
  /** minutes of a clock for each move: ten or a multiple */
  minutes: number;
  takebacks: "consent" | "own" | "off";
  confirm: boolean;
  chat: boolean;
  /** whether players may ask what the position shows */
  explore: boolean;
  watch: string;
  rated: boolean;
  gone: string;
}

/** Return the nearest number of minutes that a clock for each move can have. */
export const wholeTens = (minutes: number): number =>
  Math.min(1440, Math.max(10, Number.isFinite(minutes) ? Math.round(minutes / 10) * 10 : 10));

/** Return the clock in words. */
export const clockWords = (rules: Rules): string =>
  rules.clock === "move"
    ? t("rules.minutesAMove", { n: rules.minutes })
    : upper(t(CLOCKS[rules.clock]?.[0] ?? "clock.none"));

/** Return stored rules without values that are no longer valid. */
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
  explore: old?.explore ?? true,
  watch: old?.watch && old.watch in WATCH ? old.watch : "",
  rated: old?.rated ?? false,
  gone: old?.gone && old.gone in GONE ? old.gone : "usual",
});

/** Return the rules as a request to the server. */
export function rulesWish(rules: Rules, withOthers: boolean, mayRate: boolean): Partial<TableWish> {
  const chosen = CLOCKS[rules.clock]?.[1];
  const clock = chosen?.kind === "move" ? { ...chosen, minutes: wholeTens(rules.minutes) } : chosen;
  const live = clock && clock.kind !== "correspondence";
  return {
    takebacks: rules.takebacks,
    confirm: rules.confirm,
    chat: rules.chat,
    ...(rules.explore ? {} : { explore: false }),
    ...(withOthers && rules.watch ? { watch: rules.watch as TableWish["watch"] } : {}),
    ...(mayRate && rules.rated ? { rated: true } : {}),
    ...(live && withOthers && rules.gone !== "usual" ? { gone: GONE[rules.gone]?.[1] ?? null } : {}),
    ...(clock ? { clock } : {}),
  };
}
