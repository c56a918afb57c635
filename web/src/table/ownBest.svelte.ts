/** A one-player game: how many turns it took, and the best result before. */
import { keep, kept } from "../storage/kept";
import type { Table } from "./table.svelte";

interface Best {
  turns: number;
  when: number;
}

const all = (): Record<string, Best> => kept("best", {});

export class OwnBest {
  before: Best | null = $state.raw(null);
  #noted = false;

  /** Update with the state of the game; store its result when it ends. */
  follow({ data, mySeats, over, turns }: Table): void {
    if (!data || data.players.length !== 1 || !mySeats.length) return;
    const [key, known] = [`${data.game} ${data.optionText}`, all()];
    if (!over || !this.#noted) this.before = known[key] ?? null;
    if (over && !this.#noted && turns > 0 && turns < (this.before?.turns ?? Infinity))
      keep("best", { ...known, [key]: { turns, when: Date.now() } });
    this.#noted = over;
  }
}
