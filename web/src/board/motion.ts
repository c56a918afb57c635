/** The motion between two positions: in which order cells change, what slides where, and what fades away. */
import type { Cell, GameEvent, Piece } from "../lib/types";

/** What led from the position before to the one on the board. */
export interface Transition {
  /** a different number for each */
  serial: number;
  events: readonly Pick<GameEvent, "cells">[];
  /** milliseconds between two events of a chain */
  pace: number;
}

export interface Motion {
  /** by cell, the step of the chain at which it changes */
  order: ReadonlyMap<string, number>;
  /** by cell, where the piece there comes from */
  slides: ReadonlyMap<string, Cell>;
  /** pieces that have left the board */
  leaving: readonly Piece[];
  /** milliseconds until everything has settled */
  lasts: number;
  pace: number;
}
export const NO_MOTION: Motion = { order: new Map(), slides: new Map(), leaving: [], lasts: 0, pace: 0 };
const SETTLE = 500;

type Pieces = ReadonlyMap<string, Piece>;
export const byCell = (pieces: readonly Piece[]): Map<string, Piece> =>
  new Map(pieces.map((piece) => [piece.cell, piece]));

const alike = (a: Piece | undefined, b: Piece | undefined): boolean => a?.symbol === b?.symbol && a?.owner === b?.owner;

/** Return the motion from `before` to `after`; `at` returns where a cell is. */
export function motionBetween(
  before: Pieces,
  after: Pieces,
  { events, pace }: Transition,
  at: ReadonlyMap<string, Cell>,
): Motion {
  const order = new Map<string, number>();
  const slides = new Map<string, Cell>();
  let step = 0;
  for (const event of events) {
    const [from, to] = event.cells;
    const origin = from === undefined ? undefined : at.get(from);
    if (from !== undefined && to !== undefined && event.cells.length === 2 && origin)
      if (before.has(from) && !after.has(from)) slides.set(to, origin);
    const fresh = event.cells.filter((cell) => !order.has(cell) && !alike(before.get(cell), after.get(cell)));
    for (const cell of fresh) order.set(cell, step);
    if (fresh.length) step++;
  }
  const slid = new Set([...slides.values()].map((origin) => origin.name));
  const leaving = [...order.keys()].flatMap((cell) => {
    const piece = before.get(cell);
    return piece && !slid.has(cell) ? [piece] : [];
  });
  return { order, slides, leaving, lasts: SETTLE + step * pace, pace };
}

/** Return as style properties when a cell's change begins and from where its piece slides. */
export function entrance({ order, slides, pace }: Motion, cell: Cell): string {
  const step = order.get(cell.name);
  if (step === undefined) return "";
  const from = slides.get(cell.name);
  const shift = from ? `--dx:${from.x - cell.x}px;--dy:${from.y - cell.y}px;` : "";
  return `${shift}--delay:${Math.round(step * pace)}ms`;
}

/** Return the cells whose piece has changed, or belongs to another player, in the second of two positions. */
export function turnedCells(from: readonly Piece[], to: readonly Piece[]): string[] {
  const [before, after] = [byCell(from), byCell(to)];
  return [...new Set([...before.keys(), ...after.keys()])].filter((cell) => !alike(before.get(cell), after.get(cell)));
}

/** Return the cells that differ between two positions, with their pieces in the second, or null if empty. */
export function differences(from: readonly Piece[], to: readonly Piece[]): Map<string, Piece | null> {
  const [before, after] = [byCell(from), byCell(to)];
  const found = new Map<string, Piece | null>();
  for (const cell of new Set([...before.keys(), ...after.keys()])) {
    const [old, young] = [before.get(cell), after.get(cell)];
    if (!alike(old, young) || old?.flags.join() !== young?.flags.join()) found.set(cell, young ?? null);
  }
  return found;
}

/** Return events for a preview: the chosen cells first, then everything else that changes. */
export function shownEvents(
  chosen: readonly string[],
  from: readonly Piece[],
  to: readonly Piece[],
): Pick<GameEvent, "cells">[] {
  const others = [...differences(from, to).keys()].filter((cell) => !chosen.includes(cell));
  return [{ cells: [...chosen] }, ...others.map((cell) => ({ cells: [cell] }))];
}

/** Return a turn by `angle` degrees as one of at most half a circle. */
export const shorterWay = (angle: number): number => (((angle % 360) + 540) % 360) - 180;

/** Return as style properties how the drawing of a turned board begins: turned back by `angle` around its middle. */
export function turning(cells: readonly Cell[], angle: number): string {
  const middle = (along: "x" | "y"): number => cells.reduce((sum, cell) => sum + cell[along], 0) / cells.length;
  return `--swing:${-angle}deg;transform-origin:${middle("x").toFixed(3)}px ${middle("y").toFixed(3)}px`;
}
