/** The texts about the state of a table. */
import type { Preparing, Scene, SeatData } from "./types";
import { listed, t, upper } from "../words/words";

export interface Standing {
  players: readonly string[];
  seats: readonly SeatData[];
  /** the one seat of whoever looks at this, where others hold the rest */
  mine: number | null;
  watching: boolean;
  over: boolean;
  aborted: boolean;
  adjourned: boolean;
  /** the winners, where it is over */
  winners: readonly number[];
  /** how it ended, as a sentence */
  ending: string;
  /** the same, said to a player who won alone */
  victory: string;
  /** the move that is looked back at, null where that is the present */
  back: number | null;
  moves: number;
  mover: number | null;
  /** whether this browser decides */
  deciding: boolean;
  /** what the mover is asked, by the game */
  asked: string;
  /** what the mover must know before all else */
  alert: string;
  /** seats nobody sits in yet, and seats whose players were invited and must come before a clock may run */
  waiting: readonly number[];
  expected: readonly number[];
  preparing: Preparing | null;
  /** seats that play no more while the game goes on, and those of them that gave up */
  out: readonly number[];
  resigned: readonly number[];
}

/** That one is out of a game which goes on without him: who plays on, and why one does not. */
export function outWords({ mine, out, resigned, players, over }: Omit<Standing, "asked">): string {
  if (mine === null || over || !out.includes(mine)) return "";
  const others = listed(players.filter((_, seat) => !out.includes(seat)));
  return resigned.includes(mine) ? t("standing.resigned", { others }) : t("standing.out", { others });
}

const names = ({ players }: Standing, seats: readonly number[]): string =>
  listed(seats.map((seat) => players[seat] ?? ""));

/** How it went for whoever looks at this; empty where he only watches, or plays all sides. */
export function verdictWords({ over, mine, winners, players, victory }: Standing): string {
  if (mine === null || !over) return "";
  if (victory && winners.includes(mine)) return victory;
  if (!winners.length || winners.length === players.length) return t("standing.draw");
  if (!winners.includes(mine)) return t("standing.youLose");
  return winners.length > 1 ? t("standing.youShare") : t("player.youWin");
}

/** What the mover is told to do, after what threatens him. */
export const afterThreat = (alert: string, asked: string): string =>
  alert ? t("standing.alert", { alert, asked }) : asked;

/** What the mover is asked in a position, after what threatens him. */
export function askedWords({ mover, alerts, prompt }: Scene): string {
  return afterThreat(mover === null ? "" : (alerts[mover] ?? ""), prompt);
}

const COLON = /^(?:: |：)(.*)$/su;
/** What the mover is asked, said to himself. */
function yourTurn({ asked, alert, players, mine }: Standing): string {
  const name = players[mine ?? -1] ?? "";
  const own = name && asked.startsWith(name) ? (COLON.exec(asked.slice(name.length))?.[1] ?? "") : "";
  if (alert) return t("standing.alertTurn", { alert, asked: own ? upper(own) : asked });
  return own ? t("standing.turnDo", { asked: own }) : t("standing.turn", { asked });
}

/** How it ended, where the verdict does not say it. */
export const endingWords = (now: Standing): string =>
  now.victory && verdictWords(now) === now.victory ? "" : now.ending;
const overWords = (verdict: string, ending: string): string =>
  verdict && ending ? t("standing.over", { verdict, ending }) : verdict || ending;

/** That an engine's kernels are being compiled, with a count where it is known, else `words`. */
export const preparingWords = ({ done, of }: Preparing, words: string): string =>
  of ? t("engine.preparingCount", { done, of }) : words;

export function promptWords(now: Standing): string {
  const { players, mover, seats } = now;
  if (now.back !== null) return t("standing.back", { ply: now.back, all: now.moves });
  if (now.over) return now.aborted ? "" : overWords(verdictWords(now), endingWords(now));
  if (now.adjourned) return t("standing.adjourned");
  if (now.waiting.length) return t("standing.waiting", { names: names(now, now.waiting) });
  if (mover === null) return "";
  if (now.expected.length) return t("standing.begins", { names: names(now, now.expected) });
  if (now.deciding) {
    if (now.mine !== null) return yourTurn(now);
    return afterThreat(now.alert, now.asked);
  }
  const out = outWords(now);
  if (out) return out;
  const name = players[mover] ?? "";
  if (seats[mover]?.kind !== "engine") return t("standing.waiting", { names: name });
  return now.preparing
    ? preparingWords(now.preparing, t("standing.preparing", { name }))
    : t("standing.thinking", { name });
}

/** Why no move can be made now. */
export function closedWords(now: Standing): string {
  if (now.over) return now.back === null ? t("news.over") : t("standing.overBack");
  if (now.back !== null) return t("standing.lookingBack", { ply: now.back });
  if (now.watching) return t("notice.watching");
  return promptWords(now) || t("news.notTurn");
}
