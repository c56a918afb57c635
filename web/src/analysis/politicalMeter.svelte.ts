/** The political meter of a game of three: an engine analyses each decision, and the server measures what it did. */
import { wordsOf } from "../lib/announce.svelte";
import { ask } from "../lib/api";
import { JudgeRun } from "./judgeRun.svelte";
import type { MoveNode } from "./moveTree";
import { MORE, QUICK } from "./positionJudge";
import type { AnalysedLine, PoliticalDecision, PoliticalPlayer } from "../lib/types";

const LINES = 8; // actions that the engine values at a decision, besides the one played

/** The action `played` at a decision, and the scores that all can expect after it and after others. */
export interface Decision {
  mover: number;
  scores: Record<string, readonly number[]>;
  played: string;
}
type Looked = ReadonlyMap<MoveNode, readonly AnalysedLine[] | null>;
type Over = (node: MoveNode) => Promise<readonly number[] | null>;

export class PoliticalMeter extends JudgeRun {
  /** what each decision did, by the move that was played */
  decisions = $state.raw<ReadonlyMap<MoveNode, PoliticalDecision>>(new Map());
  players = $state.raw<readonly PoliticalPlayer[]>([]);
  /** the positions that are part of it */
  measured = $state.raw<ReadonlySet<MoveNode>>(new Set());
  #looked = new Map<MoveNode, readonly AnalysedLine[] | null>();

  /** Measure the decisions of a line. `over` returns the scores of a position in which the game is over. */
  async run(line: readonly MoveNode[], over: Over): Promise<void> {
    await this.judging(line.length, async (judge) => {
      for (const node of line) {
        if (!this.#looked.has(node)) this.#looked.set(node, await judge.lines(node.position, QUICK, MORE, LINES));
        this.done++;
      }
    });
    await this.#measure(line, over); // where the player stopped it, what has been analysed
  }

  async #measure(line: readonly MoveNode[], over: Over): Promise<void> {
    const last = line.at(-1);
    const scores = last && this.#looked.get(last) === null ? await over(last) : null;
    const found = decisionsOf(line, this.#looked, scores);
    this.measured = new Set(line.filter((node) => this.#looked.has(node)));
    if (!found.size) return;
    try {
      const { decisions, players } = await ask("POST /api/politics", { decisions: [...found.values()] });
      this.decisions = new Map([...found.keys()].flatMap((node, i) => (decisions[i] ? [[node, decisions[i]]] : [])));
      this.players = players;
    } catch (error) {
      this.fault = wordsOf(error);
    }
  }
}

/** Return the decisions of a line between several actions, by the move that was played; `over` are the scores at its
 * end, if the game is over there. */
export function decisionsOf(
  line: readonly MoveNode[],
  looked: Looked,
  over: readonly number[] | null,
): Map<MoveNode, Decision> {
  const found = new Map<MoveNode, Decision>();
  line.slice(1).forEach((to, i) => {
    const from = line[i];
    const lines = from && looked.get(from);
    if (!lines || to.seat === null) return;
    const scores: Decision["scores"] = {};
    for (const one of lines) if (one.pv[0]) scores[one.pv[0]] ??= one.scores;
    const after = looked.get(to) === null ? over : looked.get(to)?.[0]?.scores;
    const played = scores[to.text] ?? after;
    if (!played) return;
    scores[to.text] = played;
    if (Object.keys(scores).length > 1) found.set(to, { mover: to.seat, scores, played: to.text });
  });
  return found;
}
