/** A lesson in progress: the step, the last try and its result. The server judges. */
import { announce, notice, wordsOf } from "../lib/announce.svelte";
import { ask } from "../lib/api";
import { keepProgress, progressOf } from "../lib/progress.svelte";
import { viewInSkin, type Tell } from "../board/skin";
import { lineOf, Trying } from "../board/trying.svelte";
import type { LessonData, Mark } from "../lib/types";
import { ended, t, upper } from "../words/words";

type StepState = "showing" | "going" | "reached" | "missed";

export class Lesson extends Trying {
  data = $state.raw<LessonData | null>(null);
  fault = $state("");
  number = $state(0);
  state = $state<StepState>("showing");
  /** the result of the try, or the hint */
  says = $state("");
  helped = $state(false);
  tries = $state(0);
  finished = $state(false);

  constructor(private readonly tell: () => Tell) {
    super();
  }

  async open(game: string, id: string): Promise<void> {
    try {
      const data = await ask("GET /api/lessons/{game}/{lesson}", { game, lesson: id });
      this.data = data;
      await this.begin(Math.min(progressOf(game, id).steps, data.steps.length - 1));
    } catch (error) {
      this.fault = wordsOf(error);
    }
  }

  get step() {
    return this.data?.steps[this.number] ?? null;
  }

  get closed(): string {
    return this.state === "reached" ? t("lesson.stepDone") : "";
  }
  get prompt(): string | undefined {
    const hint = this.helped && this.state === "going" ? this.tell()(this.step?.hint ?? "") : "";
    if (this.finished) return t("lesson.finished", { title: this.data?.title ?? "" });
    return this.says || hint || (this.atStart ? "" : undefined);
  }
  get marks(): readonly Mark[] | undefined {
    if (!this.atStart || !this.view || !this.step) return undefined;
    return [...viewInSkin(this.view, this.tell()).scene.marks, ...this.step.marks];
  }
  get facing(): number {
    return this.step ? (this.data?.tables[this.step.table]?.facing[this.step.player] ?? 0) : 0;
  }
  override leave(): void {
    this.again();
  }

  /** Go to the beginning of a step. */
  async begin(number: number): Promise<void> {
    const step = this.data?.steps[number];
    if (!step) return;
    this.number = number;
    this.tries = 0;
    this.helped = false;
    this.finished = false;
    this.reset();
    this.view = step.before;
    const tell = this.tell();
    const where = ended(upper(t("learn.stepOf", { step: number + 1, all: this.data?.steps.length ?? 0 })));
    announce([where, tell(step.text), tell(step.task)].join(" "));
    if (!(await this.show(step.shown, step.player))) return;
    this.view = step.view;
    this.state = "going";
  }

  /** Repeat the step. */
  again(): void {
    const { step } = this;
    if (!step) return;
    this.reset();
    this.view = step.view;
    this.last = step.shown.at(-1)?.cells ?? [];
    this.state = "going";
    announce(this.tell()(step.task));
  }

  protected override reset(): void {
    super.reset();
    this.state = "showing";
    this.says = "";
  }

  async play(actions: readonly string[]): Promise<void> {
    const { data, number, moves } = this;
    if (!data || this.state !== "going") return;
    const { game, id: lesson } = data;
    await this.attempt(
      () => ask("POST /api/lessons/{game}/{lesson}/{step}/try", { game, lesson, step: number, moves, actions }),
      async (found) => {
        this.state = "showing";
        if (!(await this.showTried(found.frames, this.step?.player))) return;
        this.state = found.state;
        const tell = this.tell();
        this.says = tell(found.says);
        if (found.state === "reached") keepProgress(data.game, data.id, number + 1, data.steps.length);
        if (found.state === "missed") {
          this.tries++;
          if (found.refutation && this.view) this.line = lineOf(this.view, found.refutation.frames, this.says);
        }
        announce(this.says || (this.view ? tell(this.view.scene.prompt) : ""));
      },
    );
  }

  hint(): void {
    if (!this.step) return;
    this.helped = true;
    announce(this.tell()(this.step.hint));
  }

  /** Show one solution on the board; then the learner tries. */
  async solution(): Promise<void> {
    const { data, step, number } = this;
    if (!data || !step) return;
    try {
      const at = { game: data.game, lesson: data.id, step: number };
      const { frames } = await ask("GET /api/lessons/{game}/{lesson}/{step}/solution", at);
      if (number !== this.number) return;
      this.again();
      this.line = lineOf(step.view, frames, t("lesson.oneWay"));
      announce(t("lesson.oneWayIs", { moves: frames.map((frame) => frame.says || frame.text).join(" ") }));
    } catch (error) {
      notice(wordsOf(error), true);
    }
  }

  /** Go on from a finished step. */
  async next(): Promise<void> {
    if (!this.data) return;
    if (this.number + 1 < this.data.steps.length) return this.begin(this.number + 1);
    this.finished = true;
    announce(t("lesson.lessonDone"));
  }
}
