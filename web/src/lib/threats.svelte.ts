import { api } from "./api";
import type { Arrow } from "../board/state";
import type { Exploration, Threat } from "./types";

const MOST = 6; // arrows that a board bears beside those of the engine's lines

/** The question whose answer names threats, where the game has one that can be asked here. */
export function threatening(
  explorations: readonly Exploration[] | undefined,
  askable: readonly string[] | null | undefined,
): Exploration | null {
  return explorations?.find((one) => one.threatens && (askable?.includes(one.id) ?? true)) ?? null;
}

/** Arrows for the most urgent threats. */
export function threatArrows(threats: readonly Threat[]): Arrow[] {
  return threats.slice(0, MOST).map(({ cells }) => ({
    cells: cells.length > 1 ? [cells[0] ?? "", cells.at(-1) ?? ""] : cells,
    threat: true,
  }));
}

/** What the players threaten at whatever position is shown. */
export class Threats {
  found = $state.raw<readonly Threat[]>([]);
  #turn = 0;

  look(position: string, question: Exploration): void {
    const now = ++this.#turn;
    this.found = [];
    api.explore(position, question.id).then(
      (answer) => {
        if (now === this.#turn) this.found = answer.threats;
      },
      () => undefined, // threats come on top of the engine's lines, which say what is wrong
    );
  }

  stop(): void {
    this.#turn++;
    this.found = [];
  }
}
