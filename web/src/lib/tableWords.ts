/** What is said of how a table stands, to whoever looks at it. */
import type { SeatData } from "./types";

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
  seats.map((seat) => players[seat]).join(" and ");

/** How it went for whoever looks at this; empty where he only watches, or plays all sides. */
export function verdictWords({ over, mine, winners, players }: Standing): string {
  if (mine === null || !over) return "";
  if (!winners.length || winners.length === players.length) return "A draw";
  if (!winners.includes(mine)) return "You lose";
  return winners.length > 1 ? "You share the win" : "You win";
}

/** What the mover is asked, said to himself. */
function yourTurn({ asked, alert, players, mine }: Standing): string {
  const name = players[mine ?? -1] ?? "";
  const own = name && asked.startsWith(`${name}: `) ? asked.slice(name.length + 2) : "";
  if (alert) return `Your turn. ${alert}! ${own ? own.charAt(0).toUpperCase() + own.slice(1) : asked}`;
  return own ? `Your turn: ${own}` : `Your turn. ${asked}`;
}

export function promptWords(now: Standing): string {
  const { players, mover, seats } = now;
  if (now.back !== null) return `Move ${now.back} of ${now.moves}. Looking back.`;
  if (now.over) return now.aborted ? "" : [verdictWords(now), now.ending].filter(Boolean).join(". ");
  if (now.adjourned) return "Adjourned.";
  if (now.waiting.length) return `Waiting for ${names(now, now.waiting)}.`;
  if (mover === null) return "";
  if (now.expected.length) return `The game begins when ${names(now, now.expected)} has come.`;
  if (now.deciding) {
    if (now.mine !== null) return yourTurn(now);
    return now.alert ? `${now.alert}! ${now.asked}` : now.asked;
  }
  const name = players[mover] ?? "";
  if (seats[mover]?.kind !== "engine") return `Waiting for ${name}.`;
  return now.preparing ? `${name} is getting the engine ready (first time).` : `${name} is thinking.`;
}

/** Why no move can be made now. */
export function closedWords(now: Standing): string {
  if (now.over) return now.back === null ? "The game is over." : "The game is over; you are looking back.";
  if (now.back !== null) return `You are looking back at move ${now.back}. Go to the present to play.`;
  if (now.watching) return "You are watching.";
  return promptWords(now) || "It is not your turn.";
}
