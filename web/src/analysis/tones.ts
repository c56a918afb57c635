/** The colours of players in bars and graphs. */
import type { PlayerArt } from "../lib/types";

/** Colours for players who have none of their own. */
const OTHERWISE = ["paper", "ink", "one"];

/** Return a class for each player that sets their tone: their own, if all have different ones. */
export function toneClasses(players: readonly PlayerArt[]): string[] {
  const own = new Set(players.map((player) => player.tone)).size === players.length;
  return players.map((player, i) => `tone-${own ? player.tone : (OTHERWISE[i] ?? "grey")}`);
}
