/** Actions from a position as a line of play that the board can show. */
import type { Line } from "../board/line.svelte";
import type { Lookahead } from "./lookahead";
import { viewInSkin, type Tell } from "./skin";

/** stops on the way through a line */
const LONGEST = 40;

/** What the actions lead to, step by step; null where that could not be had. */
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
