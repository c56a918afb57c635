/** Moves that are made at a spot of the board, between cells. */
import type { Cell, Gesture } from "../lib/types";
import type { Point } from "./geometry";

export interface Spot {
  gesture: Gesture;
  x: number;
  y: number;
}
/** how far from its middle a spot can be touched, in cells */
const REACH = 0.6;

/** Place each move on the cell that stands for it, or at the middle of its cells. */
export function spotsOf(gestures: readonly Gesture[], at: ReadonlyMap<string, Cell>): Spot[] {
  return gestures.map((gesture) => {
    const cells = (gesture.at ? [gesture.at] : gesture.cells)
      .map((name) => at.get(name))
      .filter((cell) => cell !== undefined);
    const count = cells.length || 1;
    return {
      gesture,
      x: cells.reduce((sum, cell) => sum + cell.x, 0) / count,
      y: cells.reduce((sum, cell) => sum + cell.y, 0) / count,
    };
  });
}

/** Return the move at a point: the one with the nearest middle among those with this cell, or close to the point. */
export function spotAt(spots: readonly Spot[], cell: string, [x, y]: Point): Gesture | null {
  let best: Gesture | null = null;
  let least = Infinity;
  for (const spot of spots) {
    const away = Math.hypot(spot.x - x, spot.y - y);
    if ((spot.gesture.cells.includes(cell) || away < REACH) && away < least) [best, least] = [spot.gesture, away];
  }
  return best;
}
