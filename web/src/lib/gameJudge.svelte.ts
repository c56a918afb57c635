/** An engine that looks at every position of a line, one after another, for the graph of a whole game. */
import type { Judgement } from "./chance";
import { reason } from "./api";
import type { MoveNode } from "./moveTree";
import { PositionJudge } from "./positionJudge";
import { t } from "../words/words";

const EACH = 300; // milliseconds a position

export class GameJudge {
  /** what is thought of each position that was looked at */
  judged = $state.raw<ReadonlyMap<MoveNode, Judgement>>(new Map());
  /** how many are looked at, and how many of them are done; 0 while nothing is */
  all = $state(0);
  done = $state(0);
  fault = $state("");
  #judge: PositionJudge | null = null;

  get running(): boolean {
    return this.all > 0;
  }

  /** Look at these positions; `ended` tells of one at which the game is over. */
  async run(nodes: readonly MoveNode[], ended: (node: MoveNode) => Promise<readonly number[] | null>): Promise<void> {
    this.stop();
    this.fault = "";
    const judge = new PositionJudge();
    this.#judge = judge;
    [this.all, this.done] = [nodes.length, 0];
    try {
      for (const node of nodes) {
        if (!this.judged.has(node)) {
          const found = await judge.look(node.position, EACH);
          const scores = found === null ? await ended(node) : null;
          const judgement = found ?? (scores && { scores, proved: true });
          if (this.#judge !== judge) return;
          if (judgement) this.judged = new Map([...this.judged, [node, judgement]]);
        }
        this.done++;
      }
    } catch (error) {
      if (this.#judge === judge) this.fault = reason(error, t("engine.unreached"));
    } finally {
      if (this.#judge === judge) this.stop();
      judge.close();
    }
  }

  stop(): void {
    this.#judge?.close();
    this.#judge = null;
    this.all = this.done = 0;
  }
}
