/** What the others did since the last move of `seat`: nothing right after it, everything where he has not moved. */
export function sinceOwn<M extends { seat: number | null }>(moves: readonly M[], seat: number): M[] {
  return moves.slice(moves.findLastIndex((move) => move.seat === seat) + 1);
}
