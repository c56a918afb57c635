/** A one-player game: how many turns it took, and the best result before. */
import { best, noteResult, type Best } from "./best";
import type { Table } from "./table.svelte";

export class OwnBest {
  before: Best | null = $state.raw(null);
  #noted = false;

  /** Update with the state of the game. */
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
