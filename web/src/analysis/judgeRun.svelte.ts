/** Positions that an engine analyses one after the other, until all are done or the player stops it. */
import { wordsOf } from "../lib/announce.svelte";
import { PositionJudge } from "./positionJudge";

export class JudgeRun {
  /** the number of positions to analyse, and of those analysed; 0 while the engine is idle */
  all = $state(0);
  done = $state(0);
  fault = $state("");
  /** whether no engine has answered yet: one that has not thought for a while may have to start */
  starting = $state(false);
  #judge: PositionJudge | null = null;

  get running(): boolean {
    return this.all > 0;
  }

  /** Analyse `all` positions by `work`, which gets an engine of its own; what ran before is stopped. */
  protected async judging(
    all: number,
    work: (judge: PositionJudge, stopped: () => boolean) => Promise<void>,
  ): Promise<void> {
    this.stop();
    this.fault = "";
    const judge = this.begun();
    const stopped = (): boolean => this.#judge !== judge;
    this.#judge = judge;
    [this.all, this.done] = [all, 0];
    try {
      await work(judge, stopped);
    } catch (error) {
      if (!stopped()) this.fault = wordsOf(error);
    } finally {
      if (!stopped()) this.stop();
      judge.close();
    }
  }

  /** Return an engine that is starting. */
  protected begun(): PositionJudge {
    const judge = new PositionJudge();
    this.starting = true;
    judge.onready = () => (this.starting = false);
    return judge;
  }

  stop(): void {
    this.#judge?.close();
    this.#judge = null;
    this.starting = false;
    this.all = this.done = 0;
  }
}
