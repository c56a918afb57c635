/** Arrows for the first moves of an engine's lines. */
import { isPick, pickId } from "../board/choices";
import type { Arrow } from "../board/state";
import type { AnalysedLine, TableData, View } from "../lib/types";

/** Return one arrow for each line whose first move uses other cells than the lines before; the best is strongest. */
export function engineArrows(table: TableData, view: View, lines: readonly AnalysedLine[]): Arrow[] {
  const paths = new Map(view.paths.map((path) => [path[0], path]));
  const symbols = new Map(table.picks.map((pick) => [pick.id, pick.symbol]));
  const seen = new Set<string>();
  return lines.flatMap((line, i) => {
    const steps = paths.get(line.pv[0] ?? "")?.[1] ?? [];
    const cells = steps.filter((step) => !isPick(step));
    const key = cells.join();
    if (!cells.length || seen.has(key)) return [];
    seen.add(key);
    const drawn = steps.filter(isPick).map((step) => symbols.get(pickId(step)) ?? null);
    const symbol = drawn.find((found) => found !== null) ?? null;
    return [{ cells, symbol, label: String(i + 1), weight: 1 - 0.16 * i }];
  });
}
