/** A line of play shown instead of the position, as an animation or step by step. */
import { pace, still } from "../lib/settings.svelte";
import type { View } from "../lib/types";
import { t } from "../words/words";

/** A line found by an exploration, with the positions after the first `at` of its actions. */
export interface Line {
  actions: string[];
  says: string;
  at: number[];
  views: View[];
  /** for each position, the cells of the action that led to it */
  cells: readonly (readonly string[])[];
}

export class LineShow {
  /** the number of stops passed */
  step = $state(0);
  #line: Line | null = $state.raw(null);
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(private readonly moved: (from: View, to: View, cells: readonly string[]) => void) {}

  /** Show another line, or none; without animations, its end at once. */
  begin(line: Line | null): void {
    this.stop();
    this.#line = line;
    if (!line) return;
    if (still()) this.step = line.views.length - 1;
    else this.run();
  }
  run(): void {
    this.stop();
    this.step = 0;
    const pause = Math.max(350, 3 * pace()); // milliseconds between two steps
    this.#timer = setInterval(() => (this.atEnd ? this.stop() : this.#walk(this.step + 1)), pause);
  }
  stop(): void {
    clearInterval(this.#timer);
  }
  go(to: number): void {
    this.stop();
    this.#walk(to);
  }
  #walk(to: number): void {
    const [from, next] = [this.#line?.views[this.step], this.#line?.views[to]];
    if (!this.#line || !next) return;
    if (from) this.moved(from, next, this.#line.cells[Math.max(this.step, to)] ?? []);
    this.step = to;
  }

  readonly atEnd = $derived(this.step >= (this.#line?.views.length ?? 0) - 1);
  readonly length = $derived(this.#line?.actions.length ?? 0);
  readonly view = $derived(this.#line?.views[this.step] ?? this.#line?.views.at(-1) ?? null);
  readonly cells = $derived(this.#line?.cells[this.step] ?? []);
  /** The last action, and how far the line has come. */
  get words(): string {
    const line = this.#line;
    if (!line) return "";
    const at = line.at[this.step] ?? 0;
    return at ? t("line.at", { step: at, all: line.actions.length, action: line.actions[at - 1] ?? "" }) : "";
  }
}
