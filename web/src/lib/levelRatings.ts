/** What the computer opponents of a game are worth in people's ratings, where a server has learnt it. */
import { ask } from "./api";
import { backend } from "./backend";
import type { LevelResponse } from "./types";

export type LevelRatings = ReadonlyMap<number, NonNullable<LevelResponse["rating"]>>;

export async function levelRatings(game: string): Promise<LevelRatings> {
  if (!backend.people) return new Map();
  const lines = await ask("GET /api/levels/{game}", { game }, { quiet: true }).catch(() => []);
  return new Map(lines.flatMap(({ level, rating }) => (rating ? [[level, rating] as const] : [])));
}
/** The number of a level, with ? while it is uncertain; empty where nothing is known. */
export function levelRating(known: LevelRatings, level: number): string {
  const rating = known.get(level);
  return rating ? `${rating.rating}${rating.provisional ? "?" : ""}` : "";
}
