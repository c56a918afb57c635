/** A custom game: options, seats and the rules of the table. The last one is kept in this browser. */
import type { SeatWish } from "../lib/api";
import { backend } from "../lib/backend";
import { rulesFrom, type Rules } from "./tableRules";
import type { GameData, Preset } from "../lib/types";
import { keep as keepAs, kept } from "../storage/kept";
import { type PlainKey } from "../words/words";

export interface CustomGame {
  options: Record<string, unknown>;
  seats: SeatWish[];
  rules: Rules;
}
interface Kept {
  name?: string;
  wishes?: Record<string, CustomGame>;
}

/** The kind of opponent, if all opponents are of one kind. */
export type Against = "engine" | "friend" | "open" | "here";
/** Seats of people at other devices. */
const ELSEWHERE: readonly SeatWish["kind"][] = ["friend", "open", "bot"];
/** Return whether a table may have a seat of this kind. */
export const mayBe = (kind: SeatWish["kind"]): boolean => backend.people || !ELSEWHERE.includes(kind);
const ALL: [Against, PlainKey][] = [
  ["engine", "against.engine"],
  ["friend", "against.friend"],
  ["open", "against.open"],
  ["here", "mine.atScreen"],
];
export const AGAINST = ALL.filter(([kind]) => mayBe(kind));

/** Return the seats of a player at `mine` against opponents of one kind. */
export function seatsAgainst(against: Against, players: number, mine: number, level: number): SeatWish[] {
  const other: SeatWish = against === "engine" ? { kind: against, level } : { kind: against };
  return Array.from({ length: players }, (_, seat): SeatWish => (seat === mine ? { kind: "me" } : { ...other }));
}
/** Return the kind of all opponents, or null if they differ or the player has no seat. */
export function againstOf(seats: readonly SeatWish[]): Against | null {
  const others = seats.filter((seat) => seat.kind !== "me");
  const first = others[0];
  if (!first || others.length !== seats.length - 1) return null;
  if (others.some((seat) => seat.kind !== first.kind || seat.level !== first.level)) return null;
  return AGAINST.find(([kind]) => kind === first.kind)?.[0] ?? null;
}

/** Return all options of a preset, or the defaults without one. */
export const presetOptions = (game: GameData, preset: Preset | undefined): Record<string, unknown> =>
  Object.fromEntries(game.options.map((option) => [option.name, preset?.options[option.name] ?? option.default]));
/** The preset of rated games and tournaments whose creator does not choose the rules. */
export const ratedPreset = (game: GameData | null | undefined): Preset | undefined =>
  game?.presets.find((preset) => preset.id === game.ratedPreset);

/** A game was opened without the form of a custom game, which begins with it the next time. */
export function keepPlayed(game: GameData, options: Record<string, unknown>, seats: SeatWish[]): void {
  const { name, wishes = {} } = lastGames();
  const rules = rulesFrom(wishes[game.name]?.rules, game.players.length, game.takebacks);
  keep(name ?? game.name, { ...wishes, [game.name]: { options, seats, rules } });
}
/** Return the custom games of the last visit. */
export const lastGames = (): Kept => kept("lobby", {});
export const keep = (name: string, wishes: Record<string, CustomGame>): void => void keepAs("lobby", { name, wishes });

function fits(option: GameData["options"][number], value: unknown): boolean {
  if (value === undefined) return false;
  if (option.kind === "choice") return option.choices.includes(String(value));
  return option.kind !== "int" || typeof value === "number";
}
/** Return the custom game of the last visit, without values that are no longer valid, and its name. */
export function lastCustom(games: readonly GameData[]): { name: string; wishes: Record<string, CustomGame> } {
  const old = lastGames();
  const wishes: Record<string, CustomGame> = {};
  for (const game of games) {
    const was = old.wishes?.[game.name];
    const options = game.options.map((option): [string, unknown] => {
      const value = was?.options[option.name];
      return [option.name, fits(option, value) ? value : option.default];
    });
    wishes[game.name] = {
      options: Object.fromEntries(options),
      seats: was?.seats ?? seatsAgainst("engine", game.players.length, 0, game.quickStart.level),
      rules: rulesFrom(was?.rules, game.players.length, game.takebacks),
    };
  }
  const name = games.find((game) => game.name === old.name)?.name ?? games[0]?.name ?? "";
  return { name, wishes };
}
