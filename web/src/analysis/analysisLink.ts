/** A whole analysis as part of an address: the start, all moves and comments, and the current node. */
import { unpacked } from "../lib/packing";
import type { ListedMove } from "./moveTree";

export interface AnalysisData {
  start: string;
  moves: ListedMove[];
  /** the number of the current move; -1 for the start */
  at: number;
  headers?: Record<string, string>;
  /** the comment on the start */
  comment?: string;
}

const isMove = (move: unknown): move is ListedMove =>
  Array.isArray(move) && typeof move[0] === "number" && typeof move[1] === "string";

/** Decode an analysis that `packed` has encoded; return null for any other text. */
export async function read(text: string): Promise<AnalysisData | null> {
  const found = (await unpacked(text)) as Partial<AnalysisData> | null;
  if (typeof found?.start !== "string" || !Array.isArray(found.moves) || !found.moves.every(isMove)) return null;
  return { ...found, start: found.start, moves: found.moves, at: Number(found.at ?? -1) };
}
