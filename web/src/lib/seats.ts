/** The secret tokens of this browser's seats, by table. */
import { keep, kept } from "../storage/kept";

export const tokensOf = (table: string): string[] =>
  kept<unknown[]>("seats", [], table).filter((item): item is string => typeof item === "string");

/** Keep tokens; without storage, the seat lasts until the page is closed. */
export function keepTokens(table: string, tokens: readonly string[]): void {
  const all = [...new Set([...tokensOf(table), ...tokens])];
  if (!keep("seats", all, table)) memory.set(table, all);
}
/** Keep the seats of a table for its rematch. */
export const carryTokens = (from: string, to: string): void => keepTokens(to, seatTokens(from));
const memory = new Map<string, string[]>();

export const seatTokens = (table: string): string[] => [...new Set([...tokensOf(table), ...(memory.get(table) ?? [])])];

export interface Recent {
  id: string;
  title: string;
  when: number;
  /** the seats whose tokens this browser holds */
  seats?: number[];
  over?: boolean;
  /** the result for a player with a single seat, or else the winners; empty while unknown */
  ended?: Ended | null;
}
export interface Ended {
  how: "won" | "lost" | "drawn" | "off" | "wins";
  names?: string[];
}

export const recent = (): Recent[] => kept("recent", []);

/** Return how a game ended for the holder of the seats in `mine`. */
export function endOf(mine: readonly number[], players: readonly string[], state: Over): Ended | null {
  if (!state.over) return null;
  if (state.aborted) return { how: "off" };
  const winners = state.view.outcome?.winners ?? [];
  if (!winners.length || winners.length === players.length) return { how: "drawn" };
  const [seat, ...others] = mine;
  if (seat === undefined || others.length)
    return { how: "wins", names: winners.map((winner) => players[winner] ?? "") };
  return { how: winners.includes(seat) ? "won" : "lost" };
}
interface Over {
  over: boolean;
  aborted: boolean;
  view: { outcome: { winners: readonly number[] } | null };
}

/** Put a table first among the recent ones. */
export function remember(table: Omit<Recent, "when">): void {
  const others = recent().filter((item) => item.id !== table.id);
  keep("recent", [{ ...table, when: Date.now() }, ...others].slice(0, 12));
}
