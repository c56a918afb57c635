/**
 * Place the popup of choices near its cell: inside the frame, away from cells chosen before and, if there is room,
 * away from other cells that the player needs to see: those around it, and own pieces beyond them.
 */

/** The popup's corner, measured from the frame's. */
export interface Corner {
  left: number;
  top: number;
}
export interface Size {
  width: number;
  height: number;
}
/** A cell on the screen: its middle, measured from the frame's corner, and its size. */
export interface Spot {
  x: number;
  y: number;
  size: number;
}
const MARGIN = 6;
/** from a cell's middle to the popup's edge, in cell sizes: beside the cell itself, or beyond those around it */
const NEAR = 0.62;
const FAR = 1.62;
/** the cost of hiding a cell chosen before, or one around, in cell sizes of extra distance */
const CHOSEN = 100;
const AROUND = 10;

/** Return how much of a cell's disc a box hides, from 0 to 1; touching its edge costs nothing. */
function hidden({ x, y, size }: Spot, left: number, top: number, { width, height }: Size): number {
  const r = 0.42 * size;
  const across = Math.min(x + r, left + width) - Math.max(x - r, left);
  const down = Math.min(y + r, top + height) - Math.max(y - r, top);
  return across > 0 && down > 0 ? (across * down) / (4 * r * r) : 0;
}

export function cornerOf(
  frame: Size,
  popup: Size,
  at: Spot | null,
  chosen: readonly Spot[],
  around: readonly Spot[] = [],
): Corner {
  const { width, height } = popup;
  const inside = (value: number, room: number): number => Math.max(MARGIN, Math.min(value, room - MARGIN));
  if (!at) return { left: (frame.width - width) / 2, top: frame.height - 90 };
  let best: Corner | null = null;
  let least = Infinity;
  const consider = (x: number, y: number): void => {
    const left = inside(x, frame.width - width);
    const top = inside(y, frame.height - height);
    const hides = (spots: readonly Spot[]): number =>
      spots.reduce((sum, spot) => sum + hidden(spot, left, top, popup), 0);
    const away = Math.hypot(left + width / 2 - at.x, top + height / 2 - at.y) / at.size;
    const cost = CHOSEN * hides([at, ...chosen]) + AROUND * hides(around) + away;
    if (cost < least - 1e-6) [best, least] = [{ left, top }, cost];
  };
  for (const far of [NEAR, FAR]) {
    const off = far * at.size;
    consider(at.x - width / 2, at.y - off - height);
    consider(at.x - width / 2, at.y + off);
    consider(at.x - off - width, at.y - height / 2);
    consider(at.x + off, at.y - height / 2);
    for (const side of [at.x - width - at.size / 2, at.x - width, at.x, at.x + at.size / 2]) {
      consider(side, at.y - off - height);
      consider(side, at.y + off);
    }
  }
  return best ?? { left: inside(at.x - width / 2, frame.width - width), top: MARGIN };
}
