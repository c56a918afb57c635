/** What others do at a table, shown one thing after another, as fast as one likes; held back where one looks on. */
import { pace } from "./settings.svelte";

export type Speed = "usual" | "fast" | "end";
/** milliseconds between two turns, in paces of a chain: slow enough to see each */
const TURN = 6;
const FAST = 2;
const LEAST = 25;
/** where nothing moves, turns still follow each other */
const STILL = 130;

export class Playback<T> {
  /** nothing is shown until it is asked for */
  paused = $state(false);
  speed: Speed = $state("usual");
  /** how much has not been shown yet */
  waiting = $state(0);
  #queue: T[] = [];
  #next: ReturnType<typeof setTimeout> | undefined;
  readonly #show: (item: T) => void;
  readonly #begins: (item: T) => boolean;

  /** `show` shows something; `begins` says whether a turn begins with it. */
  constructor(show: (item: T) => void, begins: (item: T) => boolean) {
    this.#show = show;
    this.#begins = begins;
  }

  /** Show `item` when it is its turn. What is one's `own` is shown at once with all that waits, and so is what is no
   * move (`news`) unless one looks on step by step. */
  add(item: T, what: "own" | "news" | "move"): void {
    this.#queue.push(item);
    this.waiting = this.#queue.length;
    if (what === "own") this.flush();
    else if (this.paused) return;
    else if (what === "news" || this.speed === "end" || document.hidden) this.flush();
    else if (this.#next === undefined) this.#advance();
  }
  pause(): void {
    clearTimeout(this.#next);
    this.#next = undefined;
    this.paused = true;
  }
  go(): void {
    this.paused = false;
    if (this.speed === "end") this.flush();
    else if (this.#next === undefined) this.#advance();
  }
  /** Show the next thing that waits. */
  step(): void {
    this.#take();
  }
  /** Forget all that waits. */
  clear(): void {
    clearTimeout(this.#next);
    this.#next = undefined;
    this.#queue = [];
    this.waiting = 0;
  }
  flush(): void {
    clearTimeout(this.#next);
    this.#next = undefined;
    while (this.#take());
  }

  #take(): boolean {
    const item = this.#queue.shift();
    this.waiting = this.#queue.length;
    if (item === undefined) return false;
    this.#show(item);
    return true;
  }
  #advance = (): void => {
    this.#next = undefined;
    if (!this.#take()) return;
    const after = this.#queue[0];
    this.#next = setTimeout(this.#advance, this.#pause(after === undefined || this.#begins(after)));
  };
  #pause(turn: boolean): number {
    const unit = pace() || (turn ? STILL : 0);
    if (turn) return Math.max(LEAST, unit * (this.speed === "fast" ? FAST : TURN));
    return Math.max(LEAST, Math.min(3 * unit, (14 * unit) / (this.#queue.length + 1)));
  }
}
