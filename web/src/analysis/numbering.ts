/** The numbering of moves by rounds, as in records. */
export interface Count {
  round: number;
  /** the player of the current turn; null before the first move */
  seat: number | null;
}
export const NONE: Count = { round: 0, seat: null };

interface Numbered {
  seat: number | null;
  begins: boolean;
}

/** Return the count after `move`, and whether the move opens a round. A move of no player does not count. */
export function counted(before: Count, { seat, begins }: Numbered): Count & { opens: boolean } {
  if (seat === null || (!begins && before.seat !== null)) return { ...before, opens: false };
  const opens = before.seat === null || seat <= before.seat;
  return { round: before.round + (opens ? 1 : 0), seat, opens };
}

/** Return the count after all these moves. */
export const countedAll = (moves: readonly Numbered[]): Count =>
  moves.reduce<Count>((count, move) => counted(count, move), NONE);

/** Return the turn, counted as rounds, of the position after `ply` moves: the one way to number it for players. */
export const turnAt = (moves: readonly Numbered[], ply: number): number => countedAll(moves.slice(0, ply)).round;

/** Return the number before a move where a round opens, the number with dots where `repeated`, else nothing. */
export const numberText = (count: Count & { opens: boolean }, repeated: boolean): string =>
  count.opens ? `${count.round}.` : repeated && count.seat !== null ? `${count.round}…` : "";

interface Played extends Numbered {
  seat: number;
}
/** One player's turn: the action that began it and those that continued it. */
interface ListedTurn<M> {
  seat: number;
  moves: M[];
}
export interface Round<M> {
  number: number;
  turns: ListedTurn<M>[];
}

/** Return the turns, each with the number of its round. A round ends when a player who has moved in it moves again. */
export function linesOf<M extends Played>(moves: readonly M[]): (ListedTurn<M> & { number: number })[] {
  let number = 1;
  let moved = new Set<number>();
  return roundsOf(moves)
    .flatMap((round) => round.turns)
    .map((turn) => {
      if (moved.has(turn.seat)) [number, moved] = [number + 1, new Set()];
      moved.add(turn.seat);
      return { ...turn, number };
    });
}

/** Return the moves in rounds and turns. */
export function roundsOf<M extends Played>(moves: readonly M[]): Round<M>[] {
  const rounds: Round<M>[] = [];
  let count: Count = NONE;
  for (const move of moves) {
    const continued = !move.begins && count.seat !== null;
    const now = counted(count, move);
    count = now;
    if (now.opens) rounds.push({ number: now.round, turns: [] });
    const turns = rounds.at(-1)?.turns;
    if (continued) turns?.at(-1)?.moves.push(move);
    else turns?.push({ seat: move.seat, moves: [move] });
  }
  return rounds;
}
