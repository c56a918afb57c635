/** Texts about the state of a table. */
import type { Preparing, Scene, SeatData } from "../lib/types";
import { ended, listed, t, upper, type PlainKey } from "../words/words";

export interface Standing {
  /** the players' names, and the sides that the game's own texts call them */
  players: readonly string[];
  sides: readonly string[];
  seats: readonly SeatData[];
  /** the viewer's seat, if they have just one */
  mine: number | null;
  watching: boolean;
  over: boolean;
  aborted: boolean;
  adjourned: boolean;
  /** the winners of a finished game */
  winners: readonly number[];
  /** the result as a sentence */
  ending: string;
  /** the result as a sentence to a sole winner */
  victory: string;
  /** the turn shown when looking back, null for the current position, and the latest turn */
  back: number | null;
  turn: number;
  mover: number | null;
  /** whether it is this browser's turn */
  deciding: boolean;
  /** the game's prompt for the mover */
  asked: string;
  /** a threat that the mover must know of */
  alert: string;
  /** open seats, and seats of invited players who must arrive before a clock may start */
  waiting: readonly number[];
  expected: readonly number[];
  preparing: Preparing | null;
  /** seats that no longer play although the game goes on, and those of them that resigned */
  out: readonly number[];
  resigned: readonly number[];
}

/** Return that the viewer is out of a game that goes on: why, and who still plays. */
export function outWords({ mine, out, resigned, players, over }: Omit<Standing, "asked">): string {
  if (mine === null || over || !out.includes(mine)) return "";
  const others = listed(players.filter((_, seat) => !out.includes(seat)));
  return resigned.includes(mine) ? t("standing.resigned", { others }) : t("standing.out", { others });
}

const names = ({ players }: Standing, seats: readonly number[]): string =>
  listed(seats.map((seat) => players[seat] ?? ""));

/** Return the result for the viewer; empty for spectators and for a player of all sides. */
export function verdictWords({ over, mine, winners, players, victory }: Standing): string {
  if (mine === null || !over) return "";
  if (victory && winners.includes(mine)) return victory;
  if (!winners.length || winners.length === players.length) return upper(t("player.draws"));
  if (!winners.includes(mine)) return t("standing.youLose");
  return winners.length > 1 ? t("standing.youShare") : t("player.youWin");
}

/** Return the prompt after a warning of a threat. */
export const afterThreat = (alert: string, asked: string): string =>
  alert ? t("standing.alert", { alert, asked }) : asked;

/** Return the prompt of a position, after a warning of a threat. */
export function askedWords({ mover, alerts, prompt }: Scene): string {
  return afterThreat(mover === null ? "" : (alerts[mover] ?? ""), prompt);
}

const COLON = /^(?:: |：)(.*)$/su;
/** Return the prompt as said to the mover. */
function yourTurn({ asked, alert, players, sides, mine }: Standing): string {
  const name = [players, sides].map((all) => all[mine ?? -1] ?? "").find((one) => one && asked.startsWith(one));
  const own = name ? (COLON.exec(asked.slice(name.length))?.[1] ?? "") : "";
  if (alert) return t("standing.alertTurn", { alert, asked: own ? upper(own) : asked });
  return own ? t("standing.turnDo", { asked: own }) : t("standing.turn", { asked });
}

/** Return how the game ended, unless the verdict already says it. */
export const endingWords = (now: Standing): string =>
  now.victory && verdictWords(now) === now.victory ? "" : now.ending;
const overWords = (verdict: string, ending: string): string =>
  verdict && ending ? t("common.sentences", { first: verdict, next: ending }) : verdict || ending;

const GIVEN_UP: Readonly<Record<string, ["news.resigns" | "news.flag" | "news.gone", PlainKey]>> = {
  resignation: ["news.resigns", "out.resigned"],
  time: ["news.flag", "news.ownTime"],
  absence: ["news.gone", "news.ownLeft"],
};
/** Return the result of a game that `loser` gave up, with the viewer and the others by name; empty where the board
 * decided. */
export function givenUpWords(reason: string, loser: number, winners: readonly number[], now: Names): string {
  const [other, own] = GIVEN_UP[reason] ?? [];
  if (!other || !own) return "";
  const first = loser === now.mine ? t(own) : t(other, { name: now.players[loser] ?? "" });
  if (now.mine !== null && (winners.includes(now.mine) || now.players.length === 2)) return first;
  const wins = t("home.wins", { names: listed(winners.map((seat) => now.players[seat] ?? "")) });
  return t("common.sentences", { first: first.replace(/[.。]$/, ""), next: t("common.sentence", { text: wins }) });
}
/** Return `result`, a sentence of the game, with the name of the player with whose side it begins. */
export function namedResult(result: string, { players, sides }: Names & Pick<Standing, "sides">): string {
  const seat = sides.findIndex((side) => result.startsWith(side));
  return seat < 0 ? result : (players[seat] ?? "") + result.slice(sides[seat]?.length);
}
type Names = Pick<Standing, "players" | "mine">;

/** Return that an engine is being prepared, with a count if there is one, else `words`. */
export const preparingWords = ({ done, of }: Preparing, words: string): string =>
  of ? t("engine.preparingCount", { done, of }) : words;

export function promptWords(now: Standing): string {
  const { players, mover, seats } = now;
  if (now.back !== null) return ended(t("moves.of", { number: now.back, all: now.turn }));
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

/** Return why the viewer cannot move now. */
export function closedWords(now: Standing): string {
  if (now.over) return now.back === null ? t("news.over") : t("standing.overBack");
  if (now.back !== null) return t("standing.lookingBack", { number: now.back });
  if (now.watching) return t("notice.watching");
  return promptWords(now) || t("news.notTurn");
}
