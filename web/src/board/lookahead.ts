/** Positions after choices that the player only considers; the server computes them. */
import { api } from "../lib/api";
import type { View } from "../lib/types";

export interface Foreseen {
  view: View;
  says: string;
  /** the cells of the last action */
  cells: readonly string[];
}
const KEPT = 60;

/** Asks the server what actions lead to, and caches the answers. */
export class Lookahead {
  readonly #known = new Map<string, Promise<Foreseen | null>>();

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
      const { view, nodes } = await api.reach(position, [...actions]);
      return { view, says: nodes.map((node) => node.says).join(" "), cells: nodes.at(-1)?.cells ?? [] };
    } catch {
      return null;
    }
  }
}
