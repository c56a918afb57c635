/** A game for one: how many turns it took, and the best before. */
import { best, noteResult, type Best } from "./best";
import type { Table } from "./table.svelte";

export class OwnBest {
  before: Best | null = $state.raw(null);
  #noted = false;

  /** Take notice of how the game stands. */
  follow(table: Table): void {
    const { data } = table;
    if (!data || data.players.length !== 1 || !table.mySeats.length) return;
    if (!table.over) {
      this.#noted = false;
      this.before = best(data.game, data.optionText);
    } else if (!this.#noted) {
      this.#noted = true;
      this.before = noteResult(data.game, data.optionText, table.turns);
    }
  }
}
