/** Zooming and panning: the visible part of the drawing. `x` and `y` are measured from the drawing's corner. */
import type { Box, Point } from "./geometry";

export interface Zoom {
  /** the magnification, relative to the whole */
  k: number;
  x: number;
  y: number;
}
export const WHOLE: Zoom = { k: 1, x: 0, y: 0 };
const MOST = 8;

const limited = (k: number): number => Math.min(MOST, Math.max(1, k));
export const isZoomed = (zoom: Zoom): boolean => zoom.k > 1.001;

/** Return the nearest zoom that shows nothing beyond the drawing. */
export function bounded([, , width, height]: Box, { k, x, y }: Zoom): Zoom {
  const free = limited(k);
  return {
    k: free,
    x: Math.min(Math.max(0, x), width - width / free),
    y: Math.min(Math.max(0, y), height - height / free),
  };
}

/** Return `zoom` scaled to `k`, with the drawing's point under the finger in its place. */
export function zoomedAt(box: Box, zoom: Zoom, k: number, [px, py]: Point): Zoom {
  const [left, top] = box;
  const ratio = zoom.k / limited(k);
  return bounded(box, { k, x: px - left - (px - left - zoom.x) * ratio, y: py - top - (py - top - zoom.y) * ratio });
}

/** Return the same magnification with that point of the drawing in the middle. */
export function centredOn(box: Box, { k }: Zoom, [px, py]: Point): Zoom {
  const [left, top, width, height] = box;
  return bounded(box, { k, x: px - left - width / k / 2, y: py - top - height / k / 2 });
}

/** Return the visible part as an SVG view box. */
export const sight = ([left, top, width, height]: Box, { k, x, y }: Zoom): Box => [
  left + x,
  top + y,
  width / k,
  height / k,
];
