/** The colours that stand for players in bars and graphs. */
import type { PlayerArt } from "./types";

/** Where players have no colours of their own, these tell them apart. */
const OTHERWISE = ["paper", "ink", "one"];

/** A class for each player that sets his tone: his own, where all have different ones. */
export function toneClasses(players: readonly PlayerArt[]): string[] {
  const own = new Set(players.map((player) => player.tone)).size === players.length;
  return players.map((player, i) => `tone-${own ? player.tone : (OTHERWISE[i] ?? "grey")}`);
}
