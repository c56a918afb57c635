/** Tries on a board: the position shown, the actions so far, and one try at a time. */
import type { Line } from "./line.svelte";
import type { Playing } from "./playing";
import { shownEvents, type Transition } from "./state";
import { notice, wordsOf } from "../lib/announce.svelte";
import { pace, still } from "../lib/settings.svelte";
import { playMove } from "../lib/sound";
import type { LessonFrame, View } from "../lib/types";

/** Return frames as a line of play that starts at `first`. */
export function lineOf(first: View, frames: readonly LessonFrame[], says: string): Line {
  return {
    actions: frames.map((frame) => frame.text),
    says,
    at: [0, ...frames.map((_, i) => i + 1)],
    views: [first, ...frames.map((frame) => frame.view)],
    cells: [[], ...frames.map((frame) => frame.cells)],
  };
}

export abstract class Trying implements Playing {
  view = $state.raw<View | null>(null);
  last = $state.raw<readonly string[]>([]);
  transition = $state.raw<Transition | null>(null);
  line = $state.raw<Line | null>(null);
  refusals = $state(0);
  busy = $state(false);
  readonly confirmable = false;
  /** "going" while a try can be made */
  abstract state: string;
  abstract play(actions: readonly string[]): Promise<void>;

  /** the actions of all players since the start */
  protected moves = $state.raw<readonly string[]>([]);
  /** counts starts, so that late answers are dropped */
  protected starts = 0;
  #serial = 0;

  get active(): boolean {
    return this.state === "going" && !this.busy;
  }
  leave(): void {
    this.line = null;
  }
  get atStart(): boolean {
    return this.moves.length === 0;
  }

  /** Return to the start. */
  protected reset(): void {
    this.starts++;
    this.moves = [];
    this.last = [];
    this.transition = null;
    this.line = null;
  }

  /** Ask for the result of a try and `settle` it, unless another start came between. */
  protected async attempt<T>(ask: () => Promise<T>, settle: (found: T) => Promise<void> | void): Promise<void> {
    if (this.busy) return;
    const { starts } = this;
    this.busy = true;
    try {
      const found = await ask();
      if (starts === this.starts) await settle(found);
    } catch (error) {
      if (starts !== this.starts) return;
      this.refusals++;
      notice(wordsOf(error), true);
    } finally {
      this.busy = false;
    }
  }

  /** Add the frames of a try to the actions so far, and show them as `show` does. */
  protected showTried(frames: readonly LessonFrame[], mover?: number): Promise<boolean> {
    this.moves = [...this.moves, ...frames.map((frame) => frame.text)];
    return this.show(frames, mover);
  }

  /** Show actions one after another, the first without a pause if it is the `mover`'s. Return false if another start
   * came between. */
  protected async show(frames: readonly LessonFrame[], mover?: number): Promise<boolean> {
    const { starts } = this;
    for (const [i, frame] of frames.entries()) {
      if (i > 0 || (mover !== undefined && frame.seat !== mover))
        await new Promise((done) => setTimeout(done, still() ? 250 : 700));
      if (starts !== this.starts) return false;
      if (this.view) {
        const events = shownEvents(frame.cells, this.view.scene.pieces, frame.view.scene.pieces);
        this.transition = { serial: ++this.#serial, events, pace: pace() };
      }
      this.view = frame.view;
      this.last = frame.cells;
      playMove();
    }
    return true;
  }

  close(): void {
    this.starts++;
  }
}
