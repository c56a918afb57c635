/** Where the popup of choices goes: near its cell, inside the frame, off the cells that were chosen before. */

export interface Place {
  left: number;
  top: number;
  /** under its cell instead of above it */
  below: boolean;
}
export interface Size {
  width: number;
  height: number;
}
/** A cell on the screen: its middle, measured from the frame's corner, and how large it is. */
export interface Spot {
  x: number;
  y: number;
  size: number;
}
const MARGIN = 6;
const GAP = 4;
/** from a cell's middle to the popup, in sizes of the cell */
const AWAY = 0.62;

export function popupPlace(frame: Size, popup: Size, at: Spot | null, others: readonly Spot[]): Place {
  if (!at) return { left: frame.width / 2, top: frame.height - 90, below: false };
  const { width, height } = popup;
  const half = width / 2 + MARGIN;
  const left = Math.min(Math.max(at.x, half), frame.width - half);
  const [above, under] = [at.y - at.size * AWAY, at.y + at.size * AWAY];
  /** how many of the other cells would lie under it */
  const hides = (top: number): number =>
    others.filter(({ x, y, size }) => {
      const r = size / 2;
      return x + r > left - width / 2 && x - r < left + width / 2 && y + r > top && y - r < top + height;
    }).length;
  const below = above < height + GAP || (under + height < frame.height && hides(above - height) > hides(under));
  const clear = below
    ? Math.max(under, ...others.map(({ y, size }) => y + size * AWAY))
    : Math.min(above, ...others.map(({ y, size }) => y - size * AWAY));
  const fits = below ? clear + height < frame.height : clear > height;
  const hiding = hides(below ? under : above - height) > 0;
  return { left, top: fits && hiding ? clear : below ? under : above, below };
}
