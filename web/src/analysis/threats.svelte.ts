import { api, whenAnswered } from "../lib/api";
import type { Arrow } from "../board/state";
import type { Exploration, Threat } from "../lib/types";
import { keepText, keptText } from "../storage/kept";

const MOST = 6; // arrows for threats, besides those of the engine's lines

/** Return the game's question about threats, if it can be asked here. */
export function threatening(
  explorations: readonly Exploration[] | undefined,
  askable: readonly string[] | null | undefined,
): Exploration | null {
  return explorations?.find((one) => one.threatens && (askable?.includes(one.id) ?? true)) ?? null;
}

/** Return arrows for the most urgent threats. */
export function threatArrows(threats: readonly Threat[]): Arrow[] {
  return threats.slice(0, MOST).map(({ cells }) => ({
    cells: cells.length > 1 ? [cells[0] ?? "", cells.at(-1) ?? ""] : cells,
    threat: true,
  }));
}

/** The players' threats in the position on the board. */
export class Threats {
  on = $state(keptText("threats") !== "off");
  found = $state.raw<readonly Threat[]>([]);
  #asked = 0;

  ask(position: string, question: Exploration): void {
    const now = ++this.#asked;
    this.found = [];
    // the engine's lines already report what is wrong
    whenAnswered(api.explore(position, question.id), ({ threats }) => now === this.#asked && (this.found = threats));
  }

  toggle(): void {
    this.on = !this.on;
    keepText("threats", this.on ? "on" : "off");
  }
  stop(): void {
    this.#asked++;
    this.found = [];
  }
}
