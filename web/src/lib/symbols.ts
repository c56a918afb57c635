/** Symbols as they are drawn for somebody. */
import type { PieceSymbol } from "./types";

/** A symbol without a ground of its own in the tone of whoever it is for. */
export const inTone = (symbol: PieceSymbol, tone: string | undefined): PieceSymbol =>
  symbol.ground === "none" && tone ? { ...symbol, tone } : symbol;
