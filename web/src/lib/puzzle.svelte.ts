/** A puzzle in progress: the last try and its result. The server judges. */
import { announce } from "./announce.svelte";
import { api, reason } from "./api";
import { lineOf, Trying } from "./trying.svelte";
import type { PuzzleAnswer, PuzzleData } from "./types";
import { t } from "../words/words";

export type PuzzleState = "showing" | "going" | "right" | "wrong" | "unsure";

export class Puzzle extends Trying {
  data = $state.raw<PuzzleData | null>(null);
  state = $state<PuzzleState>("showing");
  answer = $state.raw<PuzzleAnswer | null>(null);
  fault = $state("");

  async open(fetching: Promise<PuzzleData>): Promise<void> {
    const turn = ++this.turn;
    this.fault = "";
    try {
      const data = await fetching;
      if (turn !== this.turn) return;
      this.data = data;
      this.again();
    } catch (error) {
      if (turn === this.turn) this.fault = reason(error, t("puzzle.failed"));
    }
  }

  /** Restart the puzzle. */
  again(): void {
    if (!this.data) return;
    this.reset();
    this.view = this.data.view;
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
    const { data } = this;
    if (!data || this.state !== "going") return;
    await this.attempt(
      () => api.tryPuzzle(data.id, this.moves, actions),
      async (found) => {
        this.state = "showing";
        if (!(await this.showTried(found.frames))) return;
        this.answer = found;
        this.state = found.state;
        announce(this.words || (this.view?.scene.prompt ?? ""));
      },
    );
  }

  /** Show why the try fails. */
  refute(): void {
    const frames = this.answer?.refutation ?? [];
    if (!this.view || frames.length === 0) return;
    this.line = lineOf(this.view, frames, t("puzzle.answer"));
  }
}
