/** Actions from a position as a line of play on the board. */
import type { Line } from "./line.svelte";
import type { Lookahead } from "./lookahead";
import { viewInSkin, type Tell } from "./skin";

/** the number of stops on the way through a line */
const LONGEST = 40;

/** Return what the actions lead to, step by step, or null if the server did not answer. */
export async function playedLine(
  lookahead: Lookahead,
  position: string,
  actions: string[],
  says: string,
  tell: Tell,
): Promise<Line | null> {
  const stops = Math.min(actions.length, LONGEST);
  const at = Array.from({ length: stops + 1 }, (_, i) => Math.round((i * actions.length) / Math.max(1, stops)));
  const found = await Promise.all(at.map((i) => lookahead.look(position, actions.slice(0, i))));
  const foreseen = found.filter((one) => one !== null);
  if (foreseen.length < found.length) return null;
  return {
    actions,
    says,
    at,
    views: foreseen.map((one) => viewInSkin(one.view, tell)),
    cells: foreseen.map((one) => one.cells),
  };
}
