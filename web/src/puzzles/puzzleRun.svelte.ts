/** A streak or a storm: puzzles one after another, from easy to hard, until one is missed or the time is up. */
import { ask } from "../lib/api";
import { keep, kept } from "../storage/kept";
import type { Puzzle } from "./puzzle.svelte";

export type RunMode = "streak" | "storm";
export const STORM_SECONDS = 180;
/** what a miss costs in a storm */
export const MISS_SECONDS = 10;
/** ms for which one sees how a puzzle ended */
const LOOK = 900;

const bests = (): Record<string, number> => kept("runs", {});

export class PuzzleRun {
  state = $state<"ready" | "going" | "over">("ready");
  score = $state(0);
  /** a streak passes over one puzzle */
  skipped = $state(false);
  left = $state(STORM_SECONDS);
  best = $state(0);
  #ids: readonly string[] = [];
  #number = 0;
  #until = 0;
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor(
    readonly mode: RunMode,
    readonly game: string,
    readonly puzzle: Puzzle,
  ) {
    this.best = bests()[this.#name] ?? 0;
  }
  get #name(): string {
    return `${this.game}/${this.mode}`;
  }

  async begin(): Promise<void> {
    this.#ids = (await ask("GET /api/puzzles/run", { game: this.game })).puzzles;
    this.#number = this.score = 0;
    this.skipped = false;
    this.left = STORM_SECONDS;
    this.state = "going";
    [this.puzzle.run, this.puzzle.over] = [true, false];
    await this.#open();
    if (this.mode === "storm") {
      this.#until = performance.now() + 1000 * STORM_SECONDS;
      this.#clock = setInterval(() => this.#tick(), 250);
    }
  }
  async #open(): Promise<void> {
    const id = this.#ids[this.#number++];
    if (id === undefined) this.end();
    else await this.puzzle.open(ask("GET /api/puzzles/{ident}", { ident: id }));
  }
  #tick(): void {
    this.left = Math.max(0, Math.ceil((this.#until - performance.now()) / 1000));
    if (this.left === 0) this.end();
  }
  /** It is over: keep the score if it is the best. */
  end(): void {
    this.stop();
    this.state = "over";
    this.puzzle.over = true;
    if (this.score <= this.best) return;
    this.best = this.score;
    keep("runs", { ...bests(), [this.#name]: this.score });
  }

  /** The puzzle shown is decided: count it, and go on or end. */
  async decided(): Promise<void> {
    if (this.state !== "going") return;
    const { state } = this.puzzle;
    if (state === "right") this.score++;
    else if (state === "wrong" && this.mode === "streak") return this.end();
    else if (state === "wrong") this.#until -= 1000 * MISS_SECONDS;
    await new Promise((done) => setTimeout(done, LOOK));
    if (this.state === "going") await this.#open();
  }
  async skip(): Promise<void> {
    this.skipped = true;
    await this.#open();
  }
  stop(): void {
    clearInterval(this.#clock);
  }
}
