/** Shows opponents' moves one after another, at a speed the player sets; pauses while the player studies the board. */
import { pace } from "../lib/settings.svelte";

export type Speed = "usual" | "fast" | "end";
/** milliseconds between two turns, in units of the animation speed: slow enough to follow each */
const TURN = 6;
const FAST = 2;
const LEAST = 25;
/** without animations, turns still follow one another */
const STILL = 130;

export class Playback<T> {
  /** while paused, nothing is shown unless the player asks for the next move */
  paused = $state(false);
  speed: Speed = $state("usual");
  /** the number of items not shown yet */
  waiting = $state(0);
  #queue: T[] = [];
  #next: ReturnType<typeof setTimeout> | undefined;

  /** `show` shows an item; `begins` returns whether an item begins a turn. */
  constructor(
    private readonly show: (item: T) => void,
    private readonly begins: (item: T) => boolean,
  ) {}

  /** Queue `item`. The player's `own` moves are shown at once, with all that waits. So are `news`, which are not
   * moves, unless playback is paused. */
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
  /** Show the next item. */
  step(): void {
    this.#take();
  }
  /** Drop all items. */
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
    this.show(item);
    return true;
  }
  #advance = (): void => {
    this.#next = undefined;
    if (!this.#take()) return;
    const after = this.#queue[0];
    this.#next = setTimeout(this.#advance, this.#pause(after === undefined || this.begins(after)));
  };
  #pause(turn: boolean): number {
    const unit = pace() || (turn ? STILL : 0);
    if (turn) return Math.max(LEAST, unit * (this.speed === "fast" ? FAST : TURN));
    return Math.max(LEAST, Math.min(3 * unit, (14 * unit) / (this.#queue.length + 1)));
  }
}
