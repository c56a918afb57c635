/** Arrows on the analysis board: for the first moves of an engine's lines, and for the players' threats. */
import { isPick, pickId } from "../board/turn";
import type { Arrow } from "../board/state";
import { api, whenAnswered } from "../lib/api";
import type { AnalysedLine, Exploration, TableData, Threat, View } from "../lib/types";
import { keepText, keptText } from "../storage/kept";

const MOST = 6; // arrows for threats, besides those of the engine's lines

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

/** Return the game's question about threats, if it can be asked here. */
export function threatening(
  explorations: readonly Exploration[] | undefined,
  askable: readonly string[] | null | undefined,
): Exploration | null {
  return explorations?.find((one) => one.threatens && (askable?.includes(one.id) ?? true)) ?? null;
}

/** Return arrows for the most urgent threats. */
export function threatArrows(threats: readonly Threat[]): Arrow[] {
  return threats.slice(0, MOST).map(({ cells }) => ({
    cells: cells.length > 1 ? [cells[0] ?? "", cells.at(-1) ?? ""] : cells,
    threat: true,
  }));
}

/** The players' threats in the position on the board. */
export class Threats {
  on = $state(keptText("threats") !== "off");
  found = $state.raw<readonly Threat[]>([]);
  #asked = 0;

  ask(position: string, question: Exploration): void {
    const now = ++this.#asked;
    this.found = [];
    // the engine's lines already report what is wrong
    whenAnswered(api.explore(position, question.id), ({ threats }) => now === this.#asked && (this.found = threats));
  }

  toggle(): void {
    this.on = !this.on;
    keepText("threats", this.on ? "on" : "off");
  }
  stop(): void {
    this.#asked++;
    this.found = [];
  }
}
