/** Positions after choices that the player only considers; the server computes them. */
import { api } from "../lib/api";
import type { View } from "../lib/types";
import type { Line } from "./line.svelte";
import { viewInSkin, type Tell } from "./skin";

interface Foreseen {
  view: View;
  says: string;
  /** the cells of the last action */
  cells: readonly string[];
}
const KEPT = 60;

/** Asks the server what actions lead to, and caches the answers. */
export class Lookahead {
  readonly #known = new Map<string, Promise<Foreseen | null>>();

  after(position: string, actions: readonly string[]): Promise<Foreseen | null> {
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
    const reached = await api.reach(position, actions).catch(() => null);
    if (!reached) return null;
    const { view, nodes } = reached;
    return { view, says: nodes.map((node) => node.says).join(" "), cells: nodes.at(-1)?.cells ?? [] };
  }
}

/** the number of stops on the way through a line */
const LONGEST = 40;

/** Return what the actions lead to, step by step, as a line of play, or null if the server did not answer. */
export async function playedLine(
  lookahead: Lookahead,
  position: string,
  actions: string[],
  says: string,
  tell: Tell,
): Promise<Line | null> {
  const stops = Math.min(actions.length, LONGEST);
  const at = Array.from({ length: stops + 1 }, (_, i) => Math.round((i * actions.length) / Math.max(1, stops)));
  const found = await Promise.all(at.map((i) => lookahead.after(position, actions.slice(0, i))));
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
