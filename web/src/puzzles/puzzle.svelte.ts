/** A puzzle in progress: the last try and its result. The server judges. */
import { announce, wordsOf } from "../lib/announce.svelte";
import { ask } from "../lib/api";
import type { Tell } from "../board/skin";
import { lineOf, Trying } from "../board/trying.svelte";
import type { PuzzleAnswer, PuzzleData, PuzzleStanding } from "../lib/types";
import { t } from "../words/words";

type PuzzleState = "showing" | "going" | "right" | "wrong" | "unsure";

export class Puzzle extends Trying {
  constructor(private readonly tell: () => Tell) {
    super();
  }

  data = $state.raw<PuzzleData | null>(null);
  state = $state<PuzzleState>("showing");
  answer = $state.raw<PuzzleAnswer | null>(null);
  /** one's rating, by game, since a puzzle of it was decided */
  standings = $state<Record<string, PuzzleStanding>>({});
  fault = $state("");
  /** the solution was asked for before the puzzle was decided */
  gaveUp = $state(false);
  /** the puzzle has been decided: the solution may be looked at and costs nothing */
  counted = $state(false);
  /** tries belong to a run and change no rating */
  run = false;
  /** that run is over */
  over = $state(false);

  override get active(): boolean {
    return super.active && !this.over;
  }
  get closed(): string {
    return this.decided ? t("puzzle.decided") : "";
  }
  get decided(): boolean {
    return this.state !== "going" && this.state !== "showing";
  }
  get prompt(): string | undefined {
    return this.words || undefined;
  }
  get facing(): number {
    return this.data?.table.facing[this.data.player] ?? 0;
  }

  async open(fetching: Promise<PuzzleData>): Promise<void> {
    const starts = ++this.starts;
    this.fault = "";
    try {
      const data = await fetching;
      if (starts !== this.starts) return;
      this.data = data;
      this.counted = data.settled && !data.again;
      this.again();
    } catch (error) {
      if (starts === this.starts) this.fault = wordsOf(error);
    }
  }

  /** Restart the puzzle. */
  again(): void {
    if (!this.data) return;
    this.reset();
    this.view = this.data.view;
    this.answer = null;
    this.gaveUp = false;
    this.state = "going";
    announce(this.tell()(this.data.task));
  }

  get words(): string {
    if (this.state === "right") return t("puzzle.right");
    if (this.gaveUp) return t("lesson.oneWay");
    if (this.state === "wrong") return t("puzzle.wrong");
    if (this.state === "unsure") return t("puzzle.unsure");
    return "";
  }

  async play(actions: readonly string[]): Promise<void> {
    const { data } = this;
    if (!data || this.state !== "going") return;
    await this.attempt(
      () => ask("POST /api/puzzles/{ident}/try", { ident: data.id, moves: this.moves, actions, ...this.#counts }),
      async (found) => {
        this.state = "showing";
        if (!(await this.showTried(found.frames))) return;
        this.#settle(found);
        announce(this.words || this.tell()(this.view?.scene.prompt ?? ""));
      },
    );
  }

  /** for what a try counts */
  get #counts(): { run: boolean; motif: string | null } {
    return { run: this.run, motif: this.data?.motif ?? null };
  }
  #settle(found: PuzzleAnswer): void {
    this.answer = found;
    this.state = found.state;
    if (found.standing) this.standings[found.game] = found.standing;
    this.counted ||= found.state !== "unsure";
  }

  /** Show a way to solve it from its beginning; a puzzle that is not decided yet is failed by that. */
  async solve(): Promise<void> {
    const { data } = this;
    if (!data) return;
    await this.attempt(
      () => ask("POST /api/puzzles/{ident}/solution", { ident: data.id, ...this.#counts }),
      (found) => {
        if (this.state !== "right" && this.state !== "wrong") {
          this.gaveUp = true;
          this.#settle(found);
        }
        this.line = lineOf(data.view, found.frames, t("lesson.oneWay"));
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
