/** How moves are numbered: by rounds, as records number them. */
export interface Count {
  round: number;
  /** whose turn the last move belonged to; null before the first */
  seat: number | null;
}
export const NONE: Count = { round: 0, seat: null };

interface Numbered {
  seat: number | null;
  begins: boolean;
}

/** What is counted after `move`, and whether a round begins with it. What is nobody's move leaves the count as it is. */
export function counted(before: Count, { seat, begins }: Numbered): Count & { opens: boolean } {
  if (seat === null || (!begins && before.seat !== null)) return { ...before, opens: false };
  const opens = before.seat === null || seat <= before.seat;
  return { round: before.round + (opens ? 1 : 0), seat, opens };
}

/** The count after all these moves. */
export const countedAll = (moves: readonly Numbered[]): Count =>
  moves.reduce<Count>((count, move) => counted(count, move), NONE);

/** The number before a move: always where a round opens, else with dots where `repeated`; else empty. */
export const numberText = (count: Count & { opens: boolean }, repeated: boolean): string =>
  count.opens ? `${count.round}.` : repeated && count.seat !== null ? `${count.round}…` : "";

interface Played extends Numbered {
  seat: number;
}
/** One player's turn: the action that began it, and those that began none. */
export interface ListedTurn<M> {
  seat: number;
  moves: M[];
}
export interface Round<M> {
  number: number;
  turns: ListedTurn<M>[];
}

/** The moves turn by turn, each with the number of its round: one is over when a player who moved in it moves again. */
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

/** The moves in their rounds and turns. */
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
