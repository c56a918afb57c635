/** What is said of how a table stands, to whoever looks at it. */
import type { SeatData } from "./types";
import { listed, t } from "../words/words";

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
  preparing: boolean;
}

const names = ({ players }: Standing, seats: readonly number[]): string =>
  listed(seats.map((seat) => players[seat] ?? ""));

/** How it went for whoever looks at this; empty where he only watches, or plays all sides. */
export function verdictWords({ over, mine, winners, players }: Standing): string {
  if (mine === null || !over) return "";
  if (!winners.length || winners.length === players.length) return t("standing.draw");
  if (!winners.includes(mine)) return t("standing.youLose");
  return winners.length > 1 ? t("standing.youShare") : t("player.youWin");
}

/** What the mover is asked, said to himself. */
function yourTurn({ asked, alert, players, mine }: Standing): string {
  const name = players[mine ?? -1] ?? "";
  const own = name && asked.startsWith(`${name}: `) ? asked.slice(name.length + 2) : "";
  if (alert) return t("standing.alertTurn", { alert, asked: own ? own.charAt(0).toUpperCase() + own.slice(1) : asked });
  return own ? t("standing.turnDo", { asked: own }) : t("standing.turn", { asked });
}

export function promptWords(now: Standing): string {
  const { players, mover, seats } = now;
  if (now.back !== null) return t("standing.back", { ply: now.back, all: now.moves });
  if (now.over) return now.aborted ? "" : [verdictWords(now), now.ending].filter(Boolean).join(". ");
  if (now.adjourned) return t("standing.adjourned");
  if (now.waiting.length) return t("standing.waiting", { names: names(now, now.waiting) });
  if (mover === null) return "";
  if (now.expected.length) return t("standing.begins", { names: names(now, now.expected) });
  if (now.deciding) {
    if (now.mine !== null) return yourTurn(now);
    return now.alert ? t("standing.alert", { alert: now.alert, asked: now.asked }) : now.asked;
  }
  const name = players[mover] ?? "";
  if (seats[mover]?.kind !== "engine") return t("standing.waiting", { names: name });
  return now.preparing ? t("standing.preparing", { name }) : t("standing.thinking", { name });
}

/** Why no move can be made now. */
export function closedWords(now: Standing): string {
  if (now.over) return now.back === null ? t("news.over") : t("standing.overBack");
  if (now.back !== null) return t("standing.lookingBack", { ply: now.back });
  if (now.watching) return t("notice.watching");
  return promptWords(now) || t("news.notTurn");
}
