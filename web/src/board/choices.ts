/**
 * Turn a player's choices into an action. The server lists each legal action with the steps that lead to it; this
 * module only matches steps: cells in their order, picks before or after a cell.
 */
import type { Path, Pick } from "../lib/types";

export const isPick = (step: string): boolean => step.startsWith("#");
export const pickId = (step: string): string => step.slice(1);

export interface Chosen {
  cells: readonly string[];
  picks: readonly string[];
}
export const NOTHING: Chosen = { cells: [], picks: [] };

export interface Route {
  path: Path;
  cells: string[];
  picks: string[];
}

/** The legal paths, indexed for matching; built once for each position. */
export function routes(paths: readonly Path[]): Route[] {
  return paths.map((path) => ({
    path,
    cells: path[1].filter((step) => !isPick(step)),
    picks: path[1].filter(isPick).map(pickId),
  }));
}

const fits = (route: Route, chosen: Chosen): boolean =>
  chosen.cells.length <= route.cells.length &&
  chosen.picks.length <= route.picks.length &&
  chosen.cells.every((cell, i) => route.cells[i] === cell) &&
  chosen.picks.every((pick) => route.picks.includes(pick));

const complete = (route: Route, chosen: Chosen): boolean =>
  chosen.cells.length === route.cells.length && chosen.picks.length === route.picks.length;

export interface Choices {
  /** the cells that may be chosen next, with what each choice leads to */
  cells: Map<string, string[]>;
  /** the picks that may be chosen next */
  picks: Set<string>;
  /** the action that the choices make, if any */
  action: Path | null;
  /** whether a longer choice exists besides `action` */
  more: boolean;
  count: number;
}

export function choices(all: readonly Route[], chosen: Chosen): Choices {
  const cells = new Map<string, string[]>();
  const picks = new Set<string>();
  let action: Path | null = null;
  let count = 0;
  let more = false;
  for (const route of all) {
    if (!fits(route, chosen)) continue;
    count++;
    if (complete(route, chosen)) {
      action = route.path;
      continue;
    }
    more = true;
    const next = route.cells[chosen.cells.length];
    if (next !== undefined) {
      const says = cells.get(next);
      if (says) says.push(route.path[2]);
      else cells.set(next, [route.path[2]]);
    }
    for (const pick of route.picks) if (!chosen.picks.includes(pick)) picks.add(pick);
  }
  return { cells, picks, action, more, count };
}

/** Return the cells that only a pick leads to while none is chosen: what would be placed there is not known yet. */
export function unpicked(all: readonly Route[], chosen: Chosen): Set<string> {
  const [led, open] = [new Set<string>(), new Set<string>()];
  if (!chosen.picks.length)
    for (const route of all) {
      const next = route.cells[chosen.cells.length];
      if (next !== undefined && fits(route, chosen)) (isPick(route.path[1][0] ?? "") ? led : open).add(next);
    }
  return new Set([...led].filter((cell) => !open.has(cell)));
}

/** Return `chosen` without picks that no path has any more, such as a type of piece that can be placed nowhere. */
export function usable(all: readonly Route[], chosen: Chosen): Chosen {
  if (choices(all, chosen).count > 0) return chosen;
  const picks = chosen.picks.filter((pick) => choices(all, { cells: [], picks: [pick] }).count > 0);
  return { cells: [], picks: picks.slice(0, 1) };
}

/** Return picks that only end a move over two cells: they are asked for at its end. */
export function closingPicks(paths: readonly Path[]): Set<string> {
  const [last, other] = [new Set<string>(), new Set<string>()];
  for (const [, steps] of paths)
    steps.forEach((step, i) => {
      if (isPick(step)) (i >= 2 && i === steps.length - 1 ? last : other).add(pickId(step));
    });
  return new Set([...last].filter((id) => !other.has(id)));
}

/** Return the picks shown below the board; the others appear in the popup at a cell. */
export function laidOut(
  picks: readonly Pick[],
  paths: readonly Path[],
  all: readonly Route[],
  now: Choices,
): readonly Pick[] {
  const atFirst = choices(all, NOTHING).picks;
  const closing = closingPicks(paths);
  return picks.filter(
    ({ id, sticky }) => sticky || (paths.length > 0 && !closing.has(id) && (atFirst.has(id) || now.picks.has(id))),
  );
}
