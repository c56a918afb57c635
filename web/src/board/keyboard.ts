/** Keys on the board: the cell that an arrow leads to, and the meaning of the other keys. */
import type { BoardData, Cell } from "../lib/types";
import { across, neighbour, type Direction } from "./geometry";

export type Pressed = Pick<KeyboardEvent, "key" | "shiftKey" | "altKey" | "ctrlKey" | "metaKey">;
type KeyAction =
  { kind: "walk"; to: string | null } | { kind: "choose" } | { kind: "long" } | { kind: "zoom"; factor: number };

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};
const CLOSER = 1.4;
const KEYS: Readonly<Record<string, KeyAction>> = {
  ContextMenu: { kind: "long" },
  Enter: { kind: "choose" },
  " ": { kind: "choose" },
  "+": { kind: "zoom", factor: CLOSER },
  "=": { kind: "zoom", factor: CLOSER },
  "-": { kind: "zoom", factor: 1 / CLOSER },
};

/** A walk over the cells of a board, which keeps to the row or column in which it began. */
export class BoardWalk {
  #lane: { axis: "x" | "y"; at: number } | null = null;

  #to(board: BoardData, cells: readonly Cell[], from: Cell, direction: Direction): string | null {
    const axis = direction === "left" || direction === "right" ? "y" : "x";
    if (this.#lane?.axis !== axis) this.#lane = { axis, at: from[axis] };
    const to = neighbour(from, cells, direction, this.#lane.at) ?? across(board, cells, from, direction);
    return to?.name ?? null;
  }

  /** Return what a key does at cell `at`, or null if the board does not use the key. */
  press(event: Pressed, at: Cell, board: BoardData, cells: readonly Cell[]): KeyAction | null {
    if (event.altKey || event.ctrlKey || event.metaKey) return null;
    const direction = ARROWS[event.key];
    if (direction) return { kind: "walk", to: this.#to(board, cells, at, direction) };
    if (event.key === "Enter" && event.shiftKey) return { kind: "long" };
    return KEYS[event.key] ?? null;
  }
}

/** The cell at which the keyboard enters the board: the one nearest to the middle. */
export const centreOf = (cells: readonly Cell[]): string | null =>
  cells.reduce<Cell | null>(
    (best, cell) => (!best || Math.hypot(cell.x, cell.y) < Math.hypot(best.x, best.y) ? cell : best),
    null,
  )?.name ?? null;
