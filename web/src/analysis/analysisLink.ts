/** A whole analysis as part of an address: the start, all moves and comments, and the current node. */
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
const MOST = 200_000; // characters of an address that are decoded

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const blob = new Blob([bytes as Uint8Array<ArrayBuffer>]);
  return new Uint8Array(await new Response(blob.stream().pipeThrough(stream)).arrayBuffer());
}

/** Encode `data` in letters, digits, - and _. */
export async function written(data: AnalysisData): Promise<string> {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(data)), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

const isMove = (move: unknown): move is ListedMove =>
  Array.isArray(move) && typeof move[0] === "number" && typeof move[1] === "string";

/** Decode an analysis; return null for any other text. */
export async function read(text: string): Promise<AnalysisData | null> {
  if (!text || text.length > MOST || !/^[\w-]+$/.test(text)) return null;
  try {
    const packed = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    const found = JSON.parse(
      new TextDecoder().decode(await through(packed, new DecompressionStream("deflate-raw"))),
    ) as Partial<AnalysisData> | null;
    if (typeof found?.start !== "string" || !Array.isArray(found.moves) || !found.moves.every(isMove)) return null;
    return { ...found, start: found.start, moves: found.moves, at: Number(found.at ?? -1) };
  } catch {
    return null;
  }
}
