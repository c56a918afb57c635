/** The moves of a game, in words and in parts. */
interface Words {
  says: string;
  brief: string | null;
  begins: boolean;
}

/** Return what moves did, in words: long turns in short. */
export function inWords(moves: readonly Words[]): string {
  const said: string[] = [];
  let first = 0; // of what is said of the turn
  for (const { says, brief, begins } of moves) {
    if (begins) first = said.length;
    if (brief !== null) said.splice(first, Infinity, brief);
    else if (says) said.push(says);
  }
  return said.join(" ");
}

/** Return the other players' moves since the last move of `seat`, or all moves if it has not moved. */
export function sinceOwn<M extends { seat: number | null }>(moves: readonly M[], seat: number): M[] {
  return moves.slice(moves.findLastIndex((move) => move.seat === seat) + 1);
}
