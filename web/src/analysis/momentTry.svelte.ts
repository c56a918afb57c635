/** A key moment that is tried again. Any turn that is as good as the engine's counts. */
import { announce } from "../lib/announce.svelte";
import { api } from "../lib/api";
import { AS_GOOD, ownTurn, percent, type Judgement } from "./chance";
import type { KeyMoment, KeyMoments } from "./keyMoments.svelte";
import { Lookahead, playedLine } from "../board/lookahead";
import { PositionJudge } from "./positionJudge";
import type { Tell } from "../board/skin";
import { Trying } from "../board/trying.svelte";
import type { View } from "../lib/types";
import { t } from "../words/words";

type MomentState = "going" | "judging" | "right" | "wrong" | "played";
const LOOK = 1200; // milliseconds
const REPLIES = 6; // actions shown after the better turn

/** Return whether a turn that ends in `after` is as good for `player` as the best one. */
export function asGood(player: number, best: Judgement, after: Judgement): boolean {
  return (after.scores[player] ?? 0) >= (best.scores[player] ?? 0) - AS_GOOD;
}

export class MomentTry extends Trying {
  moment = $state.raw<KeyMoment | null>(null);
  state = $state<MomentState>("going");
  /** whether the player has tried, so that the better turn may be shown */
  tried = $state(false);
  /** the score of the last try */
  value = $state.raw<Judgement | null>(null);
  readonly #lookahead = new Lookahead();

  constructor(private readonly moments: KeyMoments) {
    super();
  }
  get closed(): string {
    return this.state === "going" ? "" : t("moments.decided");
  }
  get prompt(): string | undefined {
    return this.words || undefined;
  }
  get facing(): number {
    return this.moments.table?.facing[this.moment?.player ?? 0] ?? 0;
  }

  async begin(moment: KeyMoment): Promise<void> {
    this.reset();
    const { starts } = this;
    this.moment = moment;
    this.tried = false;
    const { view } = await api.reach(moment.position, []);
    if (starts !== this.starts) return;
    this.view = view;
    this.state = "going";
    this.value = null;
    announce(t("moments.task"));
  }

  async again(): Promise<void> {
    const { moment, tried } = this;
    if (!moment) return;
    await this.begin(moment);
    this.tried = tried;
  }

  async play(actions: readonly string[]): Promise<void> {
    const { moment } = this;
    if (!moment || this.state !== "going") return;
    const { starts } = this;
    await this.attempt(
      () => api.reach(moment.position, [...this.moves, ...actions]),
      async ({ nodes, view }) => {
        const node = nodes.at(-1);
        if (!node) return;
        this.moves = [...this.moves, ...actions.slice(0, -1)];
        await this.showTried([{ ...node, seat: moment.player, view }]);
        if (view.scene.partial && view.scene.mover === moment.player) return;
        this.state = "judging";
        const [state, value] = await this.#judge(moment, view);
        if (starts !== this.starts) return;
        [this.state, this.value, this.tried] = [state, value, true];
        announce(this.words);
      },
    );
  }

  async #judge(moment: KeyMoment, view: View): Promise<[MomentState, Judgement | null]> {
    const own = this.moves.join(" ");
    if (own === moment.played.map((move) => move.text).join(" ")) return ["played", moment.after];
    if (own === betterTurn(moment).join(" ")) return ["right", moment.best];
    const over = view.outcome?.scores;
    let value: Judgement | null = over ? { scores: over, proved: true } : null;
    if (!value) {
      const judge = new PositionJudge();
      try {
        value = await judge.best(view.position, LOOK);
      } finally {
        judge.close();
      }
    }
    const right = value !== null && asGood(moment.player, moment.best, value);
    return [right ? "right" : "wrong", value];
  }

  /** The verdict on the try. */
  get words(): string {
    const { moment, value, state } = this;
    if (!moment || state === "going") return "";
    if (state === "judging") return t("moments.judging");
    const share = (of: Judgement): string => percent(of.scores[moment.player] ?? 0, of.proved);
    if (state === "played") return t("moments.played");
    const given = { before: share(moment.best), after: value ? share(value) : "" };
    return state === "right" ? t("moments.right", given) : t("moments.wrong", given);
  }

  /** Show the engine's turn on the board, with the moves that would follow. */
  async better(tell: Tell): Promise<void> {
    const { moment } = this;
    if (!moment) return;
    await this.begin(moment);
    this.tried = true;
    const { starts } = this;
    const actions = moment.best.pv.slice(0, betterTurn(moment).length + REPLIES);
    const line = await playedLine(this.#lookahead, moment.position, actions, t("moments.betterLine"), tell);
    if (starts === this.starts) this.line = line;
  }
}

/** Return the actions of the player's own turn at the beginning of the best line. */
export const betterTurn = ({ player, best }: KeyMoment): string[] => (best.seats[0] === player ? ownTurn(best) : []);
