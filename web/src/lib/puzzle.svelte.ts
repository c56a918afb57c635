/** A puzzle that is being solved: what was tried and what came of it. The server judges. */
import type { Line } from "../board/line.svelte";
import { shownEvents, type Transition } from "../board/motion";
import { announce, notice } from "./announce.svelte";
import { api, reason } from "./api";
import { pace, still } from "./settings.svelte";
import { playMove } from "./sound";
import type { LessonFrame, PuzzleAnswer, PuzzleData, View } from "./types";
import { t } from "../words/words";

export type PuzzleState = "showing" | "going" | "right" | "wrong" | "unsure";

export class Puzzle {
  data = $state.raw<PuzzleData | null>(null);
  state = $state<PuzzleState>("showing");
  view = $state.raw<View | null>(null);
  last = $state.raw<readonly string[]>([]);
  transition = $state.raw<Transition | null>(null);
  line = $state.raw<Line | null>(null);
  answer = $state.raw<PuzzleAnswer | null>(null);
  refusals = $state(0);
  busy = $state(false);
  fault = $state("");

  #moves: string[] = [];
  #serial = 0;
  /** counts what was begun: what comes late is not shown */
  #turn = 0;

  async open(fetching: Promise<PuzzleData>): Promise<void> {
    const turn = ++this.#turn;
    this.fault = "";
    try {
      const data = await fetching;
      if (turn !== this.#turn) return;
      this.data = data;
      this.again();
    } catch (error) {
      if (turn === this.#turn) this.fault = reason(error, t("puzzle.failed"));
    }
  }

  /** The same puzzle from its beginning. */
  again(): void {
    if (!this.data) return;
    this.#turn++;
    this.#moves = [];
    this.view = this.data.view;
    this.last = [];
    this.transition = null;
    this.line = null;
    this.answer = null;
    this.state = "going";
    announce(this.data.task);
  }

  get words(): string {
    if (this.state === "right") return t("puzzle.right");
    if (this.state === "wrong") return t("puzzle.wrong");
    if (this.state === "unsure") return t("puzzle.unsure");
    return "";
  }

  async play(actions: string[]): Promise<void> {
    const { data, state } = this;
    if (!data || state !== "going" || this.busy) return;
    const turn = this.#turn;
    this.busy = true;
    try {
      const found = await api.tryPuzzle(data.id, this.#moves, actions);
      if (turn !== this.#turn) return;
      this.state = "showing";
      this.#moves.push(...found.frames.map((frame) => frame.text));
      if (!(await this.#show(found.frames))) return;
      this.answer = found;
      this.state = found.state;
      announce(this.words || (this.view?.scene.prompt ?? ""));
    } catch (error) {
      if (turn !== this.#turn) return;
      this.refusals++;
      notice(reason(error, t("lesson.tryFailed")), true);
    } finally {
      this.busy = false;
    }
  }

  /** Show why the try fails. */
  refute(): void {
    const frames = this.answer?.refutation ?? [];
    if (!this.view || frames.length === 0) return;
    this.line = {
      actions: frames.map((frame) => frame.text),
      says: t("puzzle.answer"),
      at: [0, ...frames.map((_, i) => i + 1)],
      views: [this.view, ...frames.map((frame) => frame.view)],
      cells: [[], ...frames.map((frame) => frame.cells)],
    };
  }

  /** Show actions one after another; whether nothing else was begun in the meantime. */
  async #show(frames: readonly LessonFrame[]): Promise<boolean> {
    const turn = this.#turn;
    for (const [i, frame] of frames.entries()) {
      if (i > 0) await new Promise((done) => setTimeout(done, still() ? 250 : 700));
      if (turn !== this.#turn) return false;
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
    this.#turn++;
  }
}
