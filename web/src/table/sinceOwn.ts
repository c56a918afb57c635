/** Return the other players' moves since the last move of `seat`, or all moves if it has not moved. */
export function sinceOwn<M extends { seat: number | null }>(moves: readonly M[], seat: number): M[] {
  return moves.slice(moves.findLastIndex((move) => move.seat === seat) + 1);
}
