/** Winning chances in words. */

/** Return a score as a percentage. Only proved results show 0 % or 100 %. */
export function percent(share: number, proved = false): string {
  const found = Math.round(100 * share);
  return `${proved ? found : Math.min(99, Math.max(1, found))} %`;
}

/** The scores that each player can expect in a position. */
export interface Judgement {
  scores: readonly number[];
  proved: boolean;
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
export function swing(player: number, before: Judgement, after: Judgement): Swing | null {
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
export function gaveAway(player: number, before: Judgement, after: Judgement): Swing | null {
  const lost = (at: Judgement): boolean => at.proved && (at.scores[player] ?? 0) < 1 - WON;
  const loss = before.scores[player] ?? 0;
  return lost(after) && !lost(before) && loss > AS_GOOD ? { player, before, after, loss, sign: "?" } : null;
}
