/** Previews of a choice while the pointer or the focus rests on it. */
import type { Pick, TableData } from "../lib/types";
import { choices, trialOf, type Trial, type Turn, type TurnHost } from "./turn";

/** milliseconds of rest before the server is asked */
const REST = 90;

export class Preview {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly turn: Turn,
    private readonly host: TurnHost,
    private readonly wanted: () => boolean,
  ) {}

  stop(): void {
    clearTimeout(this.#timer);
  }
  /** Preview `trial`, or nothing. */
  rest(trial: Trial | null, aloud = false): void {
    clearTimeout(this.#timer);
    const host = this.host;
    if (host.state.pending) return;
    if (!trial || !this.wanted()) {
      if (host.state.preview) host.state = { ...host.state, preview: null };
      return;
    }
    const from = this.turn.view.position;
    const over = (): boolean => !!(host.state.pending || host.state.sent) || this.turn.view.position !== from;
    this.#timer = setTimeout(async () => {
      if (over()) return; // the choice was played, and is not legal any more
      const found = await host.lookAhead(from, trial.actions);
      if (!found || over()) return;
      host.state = { ...host.state, preview: { trial, ...found } };
      if (aloud) host.announce(found.says);
    }, REST);
  }
  overPick(pick: Pick, aloud = false): void {
    const chosen = this.turn.with(pick);
    const { action, more } = choices(this.turn.routes, chosen);
    this.rest(action && !more && chosen.cells.length ? trialOf(action) : null, aloud);
  }
  /** With a pick chosen for this action, preview the cell under the pointer too. */
  overCell(cell: string | null, table: TableData): void {
    const { chosen, chooser, pending } = this.host.state;
    if (chooser || pending || !this.host.able) return;
    const sticky = chosen.picks.some((id) => table.picks.find((pick) => pick.id === id)?.sticky);
    if (!cell || !chosen.picks.length || sticky) return this.rest(null);
    const { action, more } = choices(this.turn.routes, { cells: [...chosen.cells, cell], picks: chosen.picks });
    this.rest(action && !more ? trialOf(action) : null);
  }
}
