/** The trainer: puzzles of motifs that are due or new, one after another. */
import { wordsOf } from "../lib/announce.svelte";
import { ask } from "../lib/api";
import type { MotifData, TrainerData } from "../lib/types";
import { locale } from "../words/words";
import type { Puzzle } from "./puzzle.svelte";

const DAY = 86_400_000;
const inDays = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

/** Return when a motif comes back, in days: "tomorrow". Days are UTC, as those of the memory. */
export const comesBack = (due: number, now = Date.now()): string =>
  inDays.format(Math.max(0, Math.floor(due / DAY) - Math.floor(now / DAY)), "day");
/** Return how many motifs of a state have positions left. */
export const countOf = (motifs: readonly MotifData[], state: MotifData["state"]): number =>
  motifs.filter((one) => one.state === state && one.fresh).length;
/** Return when the first of the motifs with positions left comes back; null if there is none. */
export const nextDue = (motifs: readonly MotifData[]): number | null =>
  motifs.reduce<number | null>(
    (first, one) => (one.fresh && one.due !== null ? Math.min(first ?? one.due, one.due) : first),
    null,
  );

export class Trainer {
  data = $state.raw<TrainerData | null>(null);
  training = $state(false);
  /** why there are no motifs to show */
  fault = $state("");
  /** the motif of the puzzle shown, since the first try at it: one learns to see it because it is not named before */
  named = $state.raw<MotifData | null>(null);
  /** go on with motifs that are not due */
  #ahead = false;

  constructor(
    readonly game: string,
    readonly puzzle: Puzzle,
  ) {}

  /** Show the motifs; with `next`, open the next puzzle instead if there is one to train. */
  async show(next = false): Promise<void> {
    const data = await ask("GET /api/puzzles/trainer", { game: this.game }).catch((error: unknown) => {
      this.fault = wordsOf(error);
      return null;
    });
    if (next && data && (this.#ahead || countOf(data.motifs, "due") + countOf(data.motifs, "new"))) return this.#open();
    this.data = data;
    this.training = false;
  }
  async begin(ahead: boolean): Promise<void> {
    this.#ahead = ahead;
    await this.#open();
  }
  async #open(): Promise<void> {
    await this.puzzle.open(ask("GET /api/puzzles/trainer/next", { game: this.game }));
    this.named = null;
    this.training = true;
  }
}
