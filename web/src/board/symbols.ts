/** The tones of symbols. */
import type { PieceSymbol } from "../lib/types";

/** Return a symbol in the tone of its owner, if it has no ground of its own. */
export const inTone = (symbol: PieceSymbol, tone: string | undefined): PieceSymbol =>
  symbol.ground === "none" && tone ? { ...symbol, tone } : symbol;
