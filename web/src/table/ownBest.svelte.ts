/** A one-player game: how many turns it took, and the best result before. */
import { keep, kept } from "../storage/kept";

import type { Table } from "./table.svelte";

interface Best {
  turns: number;
  when: number;
}

const all = (): Record<string, Best> => kept("best", {});

const best = (game: string, options: string): Best | null => all()[`${game} ${options}`] ?? null;

/** Store a result and return the best one before it. */
function noteResult(game: string, options: string, turns: number): Best | null {
  const known = all();
  const key = `${game} ${options}`;
  const before = known[key] ?? null;
  if (turns > 0 && (!before || turns < before.turns)) keep("best", { ...known, [key]: { turns, when: Date.now() } });
  return before;
}

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
