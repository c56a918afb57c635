/** What would be: positions after choices that are only looked at, as the server tells them. */
import { api } from "./api";
import { isPick, type Chosen } from "./choose";
import type { Path, Piece, View } from "./types";

/** Actions that are looked at, staged or played as one, with the steps that chose them. */
export interface Trial {
  actions: string[];
  steps: string[];
  says: string;
}

export interface Foreseen {
  view: View;
  says: string;
}
const KEPT = 60;

/** Asks what actions lead to; remembers the answers for as long as a turn is thought about. */
export class Ahead {
  #known = new Map<string, Promise<Foreseen | null>>();

  look(position: string, actions: readonly string[]): Promise<Foreseen | null> {
    const key = `${position} ${actions.join(" ")}`;
    let found = this.#known.get(key);
    if (!found) {
      found = this.#ask(position, actions);
      this.#known.set(key, found);
      void found.then((answer) => answer ?? this.#known.delete(key));
      for (const old of this.#known.keys()) {
        if (this.#known.size <= KEPT) break;
        this.#known.delete(old);
      }
    }
    return found;
  }

  async #ask(position: string, actions: readonly string[]): Promise<Foreseen | null> {
    try {
      const found = await api.analyse({ position }, [...actions]);
      return { view: found.view, says: found.nodes.map((node) => node.says).join(" ") };
    } catch {
      return null;
    }
  }
}

const same = (a: Piece | undefined, b: Piece | undefined): boolean =>
  a?.symbol === b?.symbol && a?.owner === b?.owner && a?.flags.join() === b?.flags.join();

/** The cells that differ between two positions, with what they hold in the second. */
export function changes(from: View, to: View): Map<string, Piece | null> {
  const before = new Map(from.scene.pieces.map((piece) => [piece.cell, piece]));
  const after = new Map(to.scene.pieces.map((piece) => [piece.cell, piece]));
  const found = new Map<string, Piece | null>();
  for (const cell of new Set([...before.keys(), ...after.keys()]))
    if (!same(before.get(cell), after.get(cell))) found.set(cell, after.get(cell) ?? null);
  return found;
}

const word = (cell: string): RegExp => new RegExp(`(?<![a-wyz])${cell}(?![0-9])`);

/**
 * What the action would be called if `cell` could be chosen: a legal action of the same kind with the cell exchanged,
 * so that the server can be asked why it is not legal. `taken` are the cells that hold something: a choice of one of
 * them is like a choice of another. Null where nothing is like it.
 */
export function likely(
  paths: readonly Path[],
  taken: ReadonlySet<string>,
  chosen: Chosen,
  cell: string,
): string | null {
  const at = chosen.cells.length;
  let found: string | null = null;
  for (const [action, steps] of paths) {
    const cells = steps.filter((step) => !isPick(step));
    const old = cells[at];
    if (old === undefined || cells.length !== at + 1 || taken.has(old) !== taken.has(cell)) continue;
    if (!chosen.picks.every((pick) => steps.includes(`#${pick}`)) || !word(old).test(action)) continue;
    const tried = action.replace(word(old), cell);
    if (chosen.cells.every((name, i) => cells[i] === name)) return tried;
    const [from, wanted] = [cells[0], chosen.cells[0]];
    if (at === 1 && from && wanted && word(from).test(tried)) found ??= tried.replace(word(from), wanted);
  }
  return found ?? (at === 1 ? `${chosen.cells[0]}${taken.has(cell) ? "x" : "-"}${cell}` : null);
}
