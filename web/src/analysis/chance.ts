/** Winning chances in words. */
import type { AnalysedLine } from "../lib/types";

/** Return a score as a percentage. Only proved results show 0 % or 100 %. */
export function percent(share: number, proved = false): string {
  const found = Math.round(100 * share);
  return `${proved ? found : Math.min(99, Math.max(1, found))} %`;
}

type Valued = Pick<AnalysedLine, "scores" | "proved" | "pv" | "seats">;
/** The scores that each player can expect in a position, and the best turns as the same search values them. */
export interface Judgement {
  scores: readonly number[];
  proved: boolean;
  lines?: readonly Valued[];
}

/** Return the actions of the player's own turn at the beginning of a line. */
export function ownTurn({ pv, seats }: Pick<AnalysedLine, "pv" | "seats">): string[] {
  const end = seats.findIndex((seat) => seat !== seats[0]);
  return pv.slice(0, end < 0 ? pv.length : end);
}

/** Return what is expected after the turn `played`, as the search that judged the position before values it, if it does:
 * another search differs, and the best turn would seem to cost something. What is proved stays, except of the best turn. */
function inOneSearch(before: Judgement, after: Judgement, played: readonly string[]): Judgement {
  const text = played.join(" ");
  const line = text ? before.lines?.find((one) => ownTurn(one).join(" ") === text) : undefined;
  return line && (line === before.lines?.[0] || !after.proved) ? line : after;
}

/** A costly turn: how much of a point its player lost. Giving up a proved win counts too. */
export interface Swing {
  player: number;
  before: Judgement;
  after: Judgement;
  loss: number;
  sign: "?" | "??";
}
export const DOUBTFUL = 0.12;
const WRONG = 0.28;
const WON = 0.999;
/** The part of a point by which a turn may fall short of the best one and still count as as good. */
export const AS_GOOD = 0.06;

/** Return the mistake that the turn of `player` was, or null if it cost little. */
export function swing(
  player: number,
  before: Judgement,
  judged: Judgement,
  played: readonly string[] = [],
): Swing | null {
  const after = inOneSearch(before, judged, played);
  const [was, is] = [before.scores[player] ?? 0, after.scores[player] ?? 0];
  const loss = was - is;
  const letGo = before.proved && was > WON && !(after.proved && is > WON);
  if (loss < DOUBTFUL && !letGo) return null;
  return { player, before, after, loss, sign: loss >= WRONG ? "??" : "?" };
}

/** Return whether a game was still open for `player`: with less than a third of an even share it was as good as lost. */
export function isOpen(player: number, at: Judgement): boolean {
  return (at.scores[player] ?? 0) >= 1 / 3 / at.scores.length;
}

/** Return the turn that made a proved loss of an open game, or null. A game that was as good as lost was not open. */
export function gaveAway(
  player: number,
  before: Judgement,
  judged: Judgement,
  played: readonly string[] = [],
): Swing | null {
  const after = inOneSearch(before, judged, played);
  const lost = (at: Judgement): boolean => at.proved && (at.scores[player] ?? 0) < 1 - WON;
  const loss = before.scores[player] ?? 0;
  return lost(after) && !lost(before) && loss > AS_GOOD ? { player, before, after, loss, sign: "?" } : null;
}
