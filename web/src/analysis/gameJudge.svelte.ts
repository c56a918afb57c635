/** An engine that analyses every position of a line, for the graph of a whole game. */
import { swing, type Judgement } from "./chance";
import { reason } from "../lib/api";
import type { MoveNode } from "./moveTree";
import { MORE, MOST, PositionJudge, QUICK, THOROUGH } from "./positionJudge";
import { t } from "../words/words";

export class GameJudge {
  /** the scores expected at each analysed position */
  judged = $state.raw<ReadonlyMap<MoveNode, Judgement>>(new Map());
  /** the number of positions to analyse, and of those analysed; 0 while the engine is idle */
  all = $state(0);
  done = $state(0);
  fault = $state("");
  #judge: PositionJudge | null = null;

  get running(): boolean {
    return this.all > 0;
  }

  /**
   * Analyse these ends of turns quickly, then again around those that seem costly, as for key moments. `ended`
   * returns the scores of a position in which the game is over.
   */
  async run(nodes: readonly MoveNode[], ended: (node: MoveNode) => Promise<readonly number[] | null>): Promise<void> {
    this.stop();
    this.fault = "";
    const judge = new PositionJudge();
    this.#judge = judge;
    [this.all, this.done] = [nodes.length, 0];
    try {
      for (const node of nodes) {
        if (!this.judged.has(node)) {
          const found = await judge.look(node.position, QUICK);
          const scores = found === null ? await ended(node) : null;
          if (this.#judge !== judge) return;
          this.#keep(node, found ?? (scores && { scores, proved: true }));
        }
        this.done++;
      }
      const doubtful = doubtfulEnds(nodes, this.judged);
      this.all += doubtful.length;
      for (const node of doubtful) {
        const found = await judge.look(node.position, THOROUGH, MORE);
        if (this.#judge !== judge) return;
        this.#keep(node, found);
        this.done++;
      }
    } catch (error) {
      if (this.#judge === judge) this.fault = reason(error, t("engine.unreached"));
    } finally {
      if (this.#judge === judge) this.stop();
      judge.close();
    }
  }

  #keep(node: MoveNode, found: Judgement | null): void {
    if (found) this.judged = new Map([...this.judged, [node, found]]);
  }

  stop(): void {
    this.#judge?.close();
    this.#judge = null;
    this.all = this.done = 0;
  }
}

/** Return the ends of the turns that seem to have cost most, and of the turns before them. */
export function doubtfulEnds(ends: readonly MoveNode[], judged: ReadonlyMap<MoveNode, Judgement>): MoveNode[] {
  const found = ends.flatMap((from, i) => {
    const [to, player] = [ends[i + 1], from.children[0]?.seat];
    const [before, after] = [judged.get(from), to && judged.get(to)];
    const cost = to && player != null && before && after && swing(player, before, after);
    return cost ? [{ player, loss: cost.loss, from, to }] : [];
  });
  found.sort((a, b) => b.loss - a.loss);
  const most = found.filter((one) => found.filter((other) => other.player === one.player).indexOf(one) < MOST);
  return [...new Set(most.flatMap((one) => [one.from, one.to]))];
}
