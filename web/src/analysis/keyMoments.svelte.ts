/** The key moments of a game: turns that cost their player much. The search runs in the background, whatever page is
 * open, and its result lasts until the page is loaded again. */
import { wordsOf } from "../lib/announce.svelte";
import { api, ask } from "../lib/api";
import { AS_GOOD, gaveAway, swing, type Judgement, type Swing } from "./chance";
import { counted, NONE, type Count } from "./numbering";
import { JudgeRun } from "./judgeRun.svelte";
import { COMPARED, FIRST, MORE, MOST, QUICK, THOROUGH, type PositionJudge } from "./positionJudge";
import type { AnalysedLine, AnalysedMove, TableData } from "../lib/types";

const AHEAD = 0.05; // beyond an even share of the chances
const BACK = 12; // turns of the loser that are searched, from the last one back

/** A player's turn, and what the others played then: at most a turn each, up to the player's next move. */
interface Answered {
  number: number;
  played: readonly AnalysedMove[];
  answer: readonly AnalysedMove[];
}

/** A costly turn: the moves from `from` to `to`, which `ply` actions precede, and a better line. */
export interface KeyMoment extends Swing, Answered {
  ply: number;
  from: number;
  to: number;
  position: string;
  best: AnalysedLine;
}

interface PlayedTurn {
  player: number;
  from: number;
  to: number;
  number: number;
}

export class KeyMoments extends JudgeRun {
  table = $state.raw<TableData | null>(null);
  /** null before the search */
  found = $state.raw<readonly KeyMoment[] | null>(null);
  /** the turn that lost the game, null if no single turn did, undefined before the search */
  lost = $state.raw<KeyMoment | null | undefined>(undefined);
  /** the loser's last turn, if another one lost the game */
  end = $state.raw<Answered | null>(null);
  /** the chances of a player who gave up a game that they were winning */
  ahead = $state.raw<number | null>(null);
  #start = "";
  #moves: readonly AnalysedMove[] = [];
  #backwards = $state(false);
  #over: readonly number[] | null = null;

  constructor(readonly id: string) {
    super();
  }

  /** The moments that can be tried again. */
  get shown(): readonly KeyMoment[] {
    return this.found ?? (this.lost ? [this.lost] : []);
  }

  /** whether the turn that lost the game is being looked for */
  get looksBack(): boolean {
    return this.#backwards && this.lost === undefined && !this.fault;
  }

  /** Search back from the end of the game for the last costly turn of `player`; again with more time on a machine on
   * which the engine reached few nodes. */
  async searchBack(player: number): Promise<void> {
    if (this.lost !== undefined || this.#backwards) return;
    this.#backwards = true;
    const judge = this.begun();
    try {
      await this.#fetch();
      await this.#lastCostly(judge, player, 0);
      if (judge.hurried.size) await this.#lastCostly(judge, player, MORE);
    } catch (error) {
      this.fault = wordsOf(error);
      this.starting = false;
    } finally {
      judge.close();
    }
  }

  async #lastCostly(judge: PositionJudge, player: number, more: number): Promise<void> {
    const turns = turnsOf(this.#moves).filter((turn) => turn.player === player);
    const end = await judge.best(this.#position(this.#moves.length), THOROUGH / 2, more); // null: the board decided
    const chances = end?.scores[player] ?? 0;
    this.ahead = end && chances > 1 / end.scores.length + AHEAD ? chances : null;
    for (const turn of this.ahead === null ? turns.slice(-BACK).reverse() : []) {
      const best = await judge.best(this.#position(turn.from), THOROUGH / 2, more, COMPARED);
      if (best && (best.scores[player] ?? 0) < AS_GOOD) continue; // the game was lost before
      const after = await this.#judged(judge, turn.to, THOROUGH / 2, more);
      const played = this.#texts(turn);
      const found = best && (swing(player, best, after, played) ?? gaveAway(player, best, after, played));
      if (found) {
        const last = turns.at(-1);
        this.end = last && last !== turn ? this.#answered(last) : null;
        this.lost = this.#moment(turn, found, best);
        return;
      }
    }
    this.lost = null;
  }

  /** Search for the moments of these players, or of all if the list is empty. */
  async search(players: readonly number[]): Promise<void> {
    if (this.running) return;
    await this.judging(1, async (judge, stopped) => {
      await this.#fetch();
      const turns = turnsOf(this.#moves).filter((turn) => !players.length || players.includes(turn.player));
      await this.#momentsOf(judge, turns, (moments) => {
        if (!stopped()) this.found = moments;
      });
    });
  }

  async #fetch(): Promise<void> {
    if (this.table) return;
    const record = await ask("POST /api/record", { text: await api.tableRecord(this.id, undefined, true) });
    const texts = record.moves.map((move) => move.text);
    const { nodes, view } = await api.reach(record.start, texts);
    [this.#start, this.#moves, this.#over] = [record.start, nodes, view.outcome?.scores ?? null];
    this.table = record.table;
  }

  /** Analyse all positions quickly, the last first, then again around the turns that seem costly; `onfound` gets what is
   * known by then, after each of them. Where the engine reached few nodes, it then gets more time. */
  async #momentsOf(
    judge: PositionJudge,
    turns: readonly PlayedTurn[],
    onfound: (moments: readonly KeyMoment[]) => void,
  ): Promise<void> {
    const plies = [...new Set(turns.flatMap((turn) => [turn.from, turn.to]))].sort((a, b) => b - a);
    const quick = new Map<number, Judgement>();
    const moments = new Map<PlayedTurn, KeyMoment | null>();
    let end = Infinity; // once the engine runs: it may have to start
    for (const more of [0, MORE]) {
      const hurried = (ply: number): boolean => judge.hurried.has(this.#position(ply));
      const missing = plies.filter((ply) => !quick.has(ply) || hurried(ply));
      this.all = this.done + missing.length + 2 * MOST;
      for (const [i, ply] of missing.entries()) {
        const left = more ? Infinity : end - performance.now();
        if (left < 0) break;
        const time = Math.min(QUICK, Math.ceil(left / (missing.length - i)));
        quick.set(ply, await this.#judged(judge, ply, time, more));
        if (end === Infinity) end = performance.now() + FIRST;
      }
      const doubtful = turns
        .flatMap((turn) => {
          const [before, after] = [quick.get(turn.from), quick.get(turn.to)];
          const cost = before && after && swing(turn.player, before, after, this.#texts(turn));
          return cost ? [{ turn, loss: cost.loss }] : [];
        })
        .sort((a, b) => b.loss - a.loss)
        .slice(0, MOST);
      for (const { turn } of doubtful) {
        if (moments.has(turn) && !hurried(turn.from) && !hurried(turn.to)) continue;
        const best = await judge.best(this.#position(turn.from), THOROUGH, more, COMPARED);
        this.done++;
        const after = await this.#judged(judge, turn.to, THOROUGH, more);
        const found = best && swing(turn.player, best, after, this.#texts(turn));
        moments.set(turn, found && this.#moment(turn, found, best));
        onfound([...moments.values()].filter((one) => one !== null).sort((a, b) => a.from - b.from));
      }
      if (!moments.size) onfound([]);
    }
  }

  #moment(turn: PlayedTurn, found: Swing, best: AnalysedLine): KeyMoment {
    const ply = this.#moves.slice(0, turn.from).filter((move) => move.seat !== null).length;
    return { ...found, ...turn, ...this.#answered(turn), ply, position: this.#position(turn.from), best };
  }

  #texts = (turn: PlayedTurn): string[] => this.#moves.slice(turn.from, turn.to).map((move) => move.text);

  #answered(turn: PlayedTurn): Answered {
    const played = this.#moves.slice(turn.from, turn.to);
    return { number: turn.number, played, answer: answerTo(this.#moves, turn) };
  }

  #position(ply: number): string {
    return ply ? (this.#moves[ply - 1]?.position ?? this.#start) : this.#start;
  }

  async #judged(judge: PositionJudge, ply: number, time: number, more: number): Promise<Judgement> {
    const line = await judge.best(this.#position(ply), time, more);
    this.done++;
    return line ?? { scores: this.#over ?? [], proved: true };
  }
}

/** Return the turns of a game, each with the number of its round, as in the list of moves. */
export function turnsOf(moves: readonly { seat: number | null; begins: boolean }[]): PlayedTurn[] {
  const turns: PlayedTurn[] = [];
  let count: Count = NONE;
  moves.forEach((move, ply) => {
    const open = turns.at(-1);
    count = counted(count, move);
    if (open && !move.begins && move.seat === open.player) open.to = ply + 1;
    else if (move.seat !== null) turns.push({ player: move.seat, from: ply, to: ply + 1, number: count.round });
  });
  return turns;
}

/** Return the moves after a turn, at most a turn of each other player, up to the player's next move. */
export function answerTo<M extends { seat: number | null; begins: boolean }>(
  moves: readonly M[],
  { player, to }: { player: number; to: number },
): M[] {
  const turns = new Set<number | null>([player]);
  const next = moves.findIndex((move, ply) => {
    if (ply < to) return false;
    if (turns.has(move.seat) && (move.begins || move.seat === player)) return true;
    if (move.begins) turns.add(move.seat);
    return false;
  });
  return moves.slice(to, next < 0 ? undefined : next);
}

const known = new Map<string, KeyMoments>();

/** Return the key moments of the game at a table. */
export function keyMomentsOf(table: string): KeyMoments {
  let found = known.get(table);
  if (!found) known.set(table, (found = new KeyMoments(table)));
  return found;
}
