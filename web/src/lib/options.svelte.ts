/** The options of a game in words. */
import { api } from "./api";
import type { GameData } from "./types";
import { enumerated, t } from "../words/words";

let games: readonly GameData[] = $state.raw([]);
/** whether the games are loaded, or cannot be */
let settled = $state(false);
void api
  .games()
  .then(
    (all) => (games = all),
    () => undefined,
  )
  .then(() => (settled = true));
/** Return the options that differ from the defaults, in words; empty until the games are loaded. */
export function optionWords(name: string, text: string): string {
  const game = games.find((one) => one.name === name);
  if (!game) return settled ? text : "";
  const given = new Map(text.split(/[\s,]+(?=[a-z_]+=)/).map((pair) => pair.split("=", 2) as [string, string]));
  return enumerated(
    game.options.flatMap((option) => {
      const value = given.get(option.name);
      const title = option.title || option.name.replaceAll("_", " ");
      if (value === undefined || value === String(option.default)) return [];
      if (option.kind === "bool") return [value === "true" ? title : t("option.not", { title })];
      if (option.kind === "choice" && option.words[value])
        return [t("option.is", { title, value: option.words[value] })];
      return [t("option.number", { title, value })];
    }),
  );
}
