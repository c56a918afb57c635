/** How chances are said. */

/** A share of the point in per cent. Nothing but what is proved is 0 or 100 per cent. */
export function percent(share: number, proved = false): string {
  const found = Math.round(100 * share);
  return `${proved ? found : Math.min(99, Math.max(1, found))} %`;
}

/** What somebody is thought to get at a position. */
export interface Judgement {
  scores: readonly number[];
  proved: boolean;
}

/** A turn that cost its player much: how much of the point, and whether he let go of a win that was proved. */
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

/** What the turn of `player` cost him, where it cost him much; null where it did not. */
export function swing(player: number, before: Judgement, after: Judgement): Swing | null {
  const [was, is] = [before.scores[player] ?? 0, after.scores[player] ?? 0];
  const loss = was - is;
  const letGo = before.proved && was > WON && !(after.proved && is > WON);
  if (loss < DOUBTFUL && !letGo) return null;
  return { player, before, after, loss, sign: loss >= WRONG ? "??" : "?" };
}

/** The same for a turn after which the game is proved to be lost, and before it was not: it counts, cheap or not. */
export function gaveAway(player: number, before: Judgement, after: Judgement): Swing | null {
  const lost = (at: Judgement): boolean => at.proved && (at.scores[player] ?? 0) < 1 - WON;
  if (!lost(after) || lost(before)) return null;
  return { player, before, after, loss: before.scores[player] ?? 0, sign: "?" };
}
