/** A lesson that is gone through: where one is in it, what was tried and what came of it. The server judges. */
import { shownEvents, type Transition } from "../board/motion";
import type { Line } from "../board/line.svelte";
import { announce, notice } from "./announce.svelte";
import { api, reason } from "./api";
import { keepProgress, progressOf } from "./progress";
import { pace, still } from "./settings.svelte";
import { playMove } from "./sound";
import type { LessonData, LessonFrame, View } from "./types";
import { t } from "../words/words";

export type StepState = "showing" | "going" | "reached" | "missed";
type Tell = (text: string) => string;

/** Frames as a line of play that the board shows, from `first` on. */
function lineOf(first: View, frames: readonly LessonFrame[], says: string): Line {
  return {
    actions: frames.map((frame) => frame.text),
    says,
    at: [0, ...frames.map((_, i) => i + 1)],
    views: [first, ...frames.map((frame) => frame.view)],
    cells: [[], ...frames.map((frame) => frame.cells)],
  };
}

export class Lesson {
  data = $state.raw<LessonData | null>(null);
  fault = $state("");
  number = $state(0);
  state = $state<StepState>("showing");
  view = $state.raw<View | null>(null);
  last = $state.raw<readonly string[]>([]);
  transition = $state.raw<Transition | null>(null);
  /** what came of the try, or the hint */
  says = $state("");
  helped = $state(false);
  tries = $state(0);
  line = $state.raw<Line | null>(null);
  refusals = $state(0);
  busy = $state(false);
  finished = $state(false);

  #moves: string[] = [];
  #serial = 0;
  /** counts what was begun: what comes late is not shown */
  #turn = 0;
  readonly #tell: () => Tell;

  constructor(tell: () => Tell) {
    this.#tell = tell;
  }

  async open(game: string, id: string): Promise<void> {
    try {
      const data = await api.lesson(game, id);
      this.data = data;
      await this.begin(Math.min(progressOf(game, id).steps, data.steps.length - 1));
    } catch (error) {
      this.fault = reason(error, t("lesson.failed"));
    }
  }

  get step() {
    return this.data?.steps[this.number] ?? null;
  }
  get atStart(): boolean {
    return this.#moves.length === 0;
  }

  /** Go to a step, from its beginning. */
  async begin(number: number): Promise<void> {
    const step = this.data?.steps[number];
    if (!step) return;
    this.number = number;
    this.tries = 0;
    this.helped = false;
    this.finished = false;
    this.#reset();
    this.view = step.before;
    const tell = this.#tell();
    announce(
      [
        t("lesson.stepOf", { step: number + 1, all: this.data?.steps.length ?? 0 }),
        tell(step.text),
        tell(step.task),
      ].join(" "),
    );
    if (!(await this.#show(step.shown))) return;
    this.view = step.view;
    this.state = "going";
  }

  /** The same step once more. */
  again(): void {
    const { step } = this;
    if (!step) return;
    this.#reset();
    this.view = step.view;
    this.last = step.shown.at(-1)?.cells ?? [];
    this.state = "going";
    announce(this.#tell()(step.task));
  }

  #reset(): void {
    this.#turn++;
    this.#moves = [];
    this.state = "showing";
    this.says = "";
    this.line = null;
    this.last = [];
    this.transition = null;
  }

  /** Show actions one after another; whether nothing else was begun in the meantime. */
  async #show(frames: readonly LessonFrame[]): Promise<boolean> {
    const turn = this.#turn;
    for (const [i, frame] of frames.entries()) {
      if (frame.seat !== this.step?.player || i > 0) await this.#pause();
      if (turn !== this.#turn) return false;
      const from = this.view;
      if (from) {
        const events = shownEvents(frame.cells, from.scene.pieces, frame.view.scene.pieces);
        this.transition = { serial: ++this.#serial, events, pace: pace() };
      }
      this.view = frame.view;
      this.last = frame.cells;
      playMove();
    }
    return true;
  }
  #pause(): Promise<void> {
    return new Promise((done) => setTimeout(done, still() ? 250 : 700));
  }

  async play(actions: string[]): Promise<void> {
    const { data, number, state } = this;
    if (!data || state !== "going" || this.busy) return;
    const turn = this.#turn;
    this.busy = true;
    try {
      const found = await api.tryStep(data.game, data.id, number, this.#moves, actions);
      if (turn !== this.#turn) return;
      this.state = "showing";
      this.#moves.push(...found.frames.map((frame) => frame.text));
      if (!(await this.#show(found.frames))) return;
      this.state = found.state;
      const tell = this.#tell();
      this.says = tell(found.says);
      if (found.state === "reached") keepProgress(data.game, data.id, number + 1, data.steps.length);
      if (found.state === "missed") {
        this.tries++;
        if (found.refutation && this.view) this.line = lineOf(this.view, found.refutation.frames, this.says);
      }
      announce(this.says || (this.view ? tell(this.view.scene.prompt) : ""));
    } catch (error) {
      if (turn !== this.#turn) return;
      this.refusals++;
      notice(reason(error, t("lesson.tryFailed")), true);
    } finally {
      this.busy = false;
    }
  }

  hint(): void {
    if (!this.step) return;
    this.helped = true;
    announce(this.#tell()(this.step.hint));
  }

  /** One way to do it, shown on the board; then it is the learner's turn again. */
  async solution(): Promise<void> {
    const { data, step, number } = this;
    if (!data || !step) return;
    try {
      const { frames } = await api.solution(data.game, data.id, number);
      if (number !== this.number) return;
      this.again();
      this.line = lineOf(step.view, frames, t("lesson.oneWay"));
      announce(t("lesson.oneWayIs", { moves: frames.map((frame) => frame.says || frame.text).join(" ") }));
    } catch (error) {
      notice(reason(error, t("lesson.solutionFailed")), true);
    }
  }

  /** On from a step that is done. */
  async next(): Promise<void> {
    if (!this.data) return;
    if (this.number + 1 < this.data.steps.length) return this.begin(this.number + 1);
    this.finished = true;
    announce(t("lesson.lessonDone"));
  }

  close(): void {
    this.#turn++;
  }
}
