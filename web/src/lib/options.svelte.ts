/** Games by name, and their options in words. */
import { api, whenAnswered } from "./api";
import type { GameData } from "./types";
import { enumerated, t } from "../words/words";

let games: readonly GameData[] = $state.raw([]);
/** whether the games are loaded, or cannot be */
let settled = $state(false);
whenAnswered(
  api.games(),
  (all) => ([games, settled] = [all, true]),
  () => (settled = true),
);
/** Return all games once they are loaded; the one of a name, and what it is called. */
export const allGames = (): readonly GameData[] => games;
export const gameNamed = (name: string | undefined): GameData | undefined => games.find((one) => one.name === name);
export const gameTitle = (name: string): string => gameNamed(name)?.title ?? name;
type Option = GameData["options"][number];
/** The options of a game with these values, if they are known. */
function valuesOf(game: GameData, text: string): [Option, string][] {
  const given = new Map(text.split(/[\s,]+(?=[a-z_]+=)/).map((pair) => pair.split("=", 2) as [string, string]));
  return game.options.flatMap((option): [Option, string][] => {
    const value = given.get(option.name);
    return value === undefined ? [] : [[option, value]];
  });
}
const titleOf = (option: Option): string => option.title || option.name.replaceAll("_", " ");
const isUsual = (option: Option, value: string): boolean => value === "" || value === String(option.default);

/** The options `named` in any case and those that are not the usual ones, each in a word or two with its explanation. */
export function optionBadges(name: string, text: string, named: readonly string[]): { text: string; help: string }[] {
  const game = gameNamed(name);
  const values = game ? valuesOf(game, text) : [];
  const order = ([{ name }]: [Option, string]): number => named.indexOf(name) + 1 || named.length + 1;
  return values
    .filter(([option, value]) => named.includes(option.name) || !isUsual(option, value))
    .sort((one, other) => order(one) - order(other))
    .map(([option, value]) => {
      const words = option.words[value];
      const title = titleOf(option);
      if (words) return { text: words.split(/[:：]/)[0] ?? words, help: `${title}: ${words}` };
      return { text: option.kind === "bool" ? title : t("option.number", { title, value }), help: option.help };
    });
}

/** Return the options that differ from the defaults, in words; empty until the games are loaded. */
export function optionWords(name: string, text: string): string {
  const game = gameNamed(name);
  if (!game) return settled ? text : "";
  return enumerated(
    valuesOf(game, text).flatMap(([option, value]) => {
      const title = titleOf(option);
      if (value === String(option.default)) return [];
      if (option.kind === "bool") return [value === "true" ? title : t("option.not", { title })];
      if (option.words[value]) return [t("option.is", { title, value: option.words[value] })];
      return [t("option.number", { title, value })];
    }),
  );
}
