/** Lots of games with two sets of options, numbered alike, which several players play at once. */
import type { Lots } from "../lib/api";

export type Side = "usual" | "changed";
export const SIDES: readonly Side[] = ["usual", "changed"];
/** The seed of the games from the lot numbered `from` on. Each extension of a study has a new seed. */
export type Part = readonly [from: number, seed: number];
/** Lots to be played: `count` of them, from the number `first` on. */
export interface Job {
  side: Side;
  first: number;
  count: number;
  seed: number;
}

const MOST_SEED = 1_000_000; // of a request
export const freshSeed = (): number => Math.floor(Math.random() * MOST_SEED);

export class Played {
  readonly lots: Record<Side, Lots> = { usual: [], changed: [] };
  /** how many lots have been handed out */
  readonly #given: Record<Side, number>;
  /** lots that were played before those with smaller numbers */
  readonly #early: Record<Side, Map<number, Lots>> = { usual: new Map(), changed: new Map() };
  readonly #failed: Job[] = [];

  constructor(
    lots: Record<Side, Lots>,
    readonly parts: readonly Part[],
  ) {
    this.lots = { ...lots };
    this.#given = { usual: lots.usual.length, changed: lots.changed.length };
  }

  /** Return what is to be played next: at most `size` lots with numbers below `limit`; null if there is nothing. */
  next(size: number, limit: number): Job | null {
    const failed = this.#failed.pop();
    if (failed) return failed;
    const side = this.#given.usual < this.#given.changed ? "usual" : "changed";
    const first = this.#given[side];
    const job = this.job(side, first, Math.min(size, limit - first));
    this.#given[side] += job.count;
    return job.count > 0 ? job : null;
  }

  /** Return a job with one seed, of at most `count` lots. */
  job(side: Side, first: number, count: number): Job {
    const after = this.parts.findIndex(([from]) => from > first);
    const [, seed] = this.parts.at(after < 0 ? -1 : after - 1) ?? [0, 0];
    const end = this.parts[after]?.[0] ?? Infinity;
    return { side, first, count: Math.min(count, end - first), seed };
  }

  /** Take what was played. */
  take({ side, first }: Job, lots: Lots): void {
    this.#early[side].set(first, lots);
    for (;;) {
      const known = this.lots[side];
      const next = this.#early[side].get(known.length);
      if (!next) return;
      this.#early[side].delete(known.length);
      this.lots[side] = [...known, ...next];
    }
  }

  /** Let a job be done again that failed. */
  giveBack(job: Job): void {
    this.#failed.push(job);
  }
}
