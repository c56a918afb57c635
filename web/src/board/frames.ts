/** The positions of a line of play: the first one, and what each move changes. */
import type { Mark, Piece, Preview } from "../lib/types";

interface Frame {
  pieces: readonly Piece[];
  marks: readonly Mark[];
  /** the events on the way there, in order */
  events: readonly { cells: string[] }[];
}

export function framesOf({ view, line }: Preview): Frame[] {
  let pieces = new Map(view.scene.pieces.map((piece) => [piece.cell, piece]));
  const frames: Frame[] = [{ pieces: view.scene.pieces, marks: view.scene.marks, events: [] }];
  for (const step of line) {
    pieces = new Map(pieces);
    for (const cell of step.gone) pieces.delete(cell);
    for (const piece of step.pieces) pieces.set(piece.cell, piece);
    frames.push({ pieces: [...pieces.values()], marks: step.marks, events: step.events.map((cells) => ({ cells })) });
  }
  return frames;
}
