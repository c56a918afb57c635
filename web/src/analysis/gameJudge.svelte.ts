/** An engine that analyses every position of a line, for the graph of a whole game. */
import { swing, type Judgement } from "./chance";
import { JudgeRun } from "./judgeRun.svelte";
import type { MoveNode } from "./moveTree";
import { COMPARED, MORE, MOST, QUICK, THOROUGH } from "./positionJudge";

export class GameJudge extends JudgeRun {
  /** the scores expected at each analysed position */
  judged = $state.raw<ReadonlyMap<MoveNode, Judgement>>(new Map());

  /**
   * Analyse these ends of turns quickly, then again around those that seem costly, as for key moments. `ended`
   * returns the scores of a position in which the game is over.
   */
  async run(nodes: readonly MoveNode[], ended: (node: MoveNode) => Promise<readonly number[] | null>): Promise<void> {
    await this.judging(nodes.length, async (judge, stopped) => {
      for (const node of nodes) {
        if (!this.judged.has(node)) {
          const found = await judge.best(node.position, QUICK);
          const scores = found === null ? await ended(node) : null;
          if (stopped()) return;
          this.#keep(node, found ?? (scores && { scores, proved: true }));
        }
        this.done++;
      }
      const doubtful = doubtfulEnds(nodes, this.judged);
      this.all += doubtful.length;
      for (const node of doubtful) {
        const found = await judge.best(node.position, THOROUGH, MORE, COMPARED);
        if (stopped()) return;
        this.#keep(node, found);
        this.done++;
      }
    });
  }

  #keep(node: MoveNode, found: Judgement | null): void {
    if (found) this.judged = new Map([...this.judged, [node, found]]);
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
