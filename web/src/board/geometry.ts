/** Positions on the screen: turning, mirroring and walking over the cells of any board. It knows no shape by name. */
import type { BoardData, Cell } from "../lib/types";

export type Point = [number, number];
/** How a board is turned and mirrored. */
export interface Orientation {
  /** degrees, clockwise */
  angle: number;
  flipped: boolean;
}
export type Box = [number, number, number, number];

export function turnPoint([x, y]: readonly [number, number], { angle, flipped }: Orientation): Point {
  const a = (angle * Math.PI) / 180;
  const sx = flipped ? -x : x;
  return [sx * Math.cos(a) - y * Math.sin(a), sx * Math.sin(a) + y * Math.cos(a)];
}

export interface Layout {
  cells: Cell[];
  tile: string;
  /** distance from a cell's centre to the nearest edge of its tile */
  inner: number;
  /** half the width of a piece's square, which symbols fill from -1 to 1 */
  radius: number;
  /** the tile in that square */
  unitTile: string;
  labels: { text: string; x: number; y: number }[];
  gone: Point[];
  box: Box;
  rim: Box;
  at: Map<string, Cell>;
}

function hull(points: readonly Point[], margin: number): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [left - margin, top - margin, Math.max(...xs) - left + 2 * margin, Math.max(...ys) - top + 2 * margin];
}

/** The box around both; one around nothing is left out. */
function union(a: Box, b: Box): Box {
  if (!Number.isFinite(b[0])) return a;
  const [left, top] = [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
  const [right, bottom] = [Math.max(a[0] + a[2], b[0] + b[2]), Math.max(a[1] + a[3], b[1] + b[3])];
  return [left, top, right - left, bottom - top];
}

/** A point beyond a box moved farther out by `far`. */
function outside([left, top, width, height]: Box, x: number, y: number, far: number): Point {
  const dx = x < left ? -far : x > left + width ? far : 0;
  const dy = y < top ? -far : y > top + height ? far : 0;
  return [x + dx, y + dy];
}

const tidy = (x: number): number => Math.round(x * 1000) / 1000;

/** Half the space that a coordinate takes. */
const LABEL = 0.36;
/** How far the outline of a marked cell reaches beyond the cell. */
const OUTLINE = 0.08;
/** How far a wrapped board continues beyond its edge in the drawing. */
const SEAM = 0.58;

/** Return the board's drawing, turned. With `crop`, the box holds only the surroundings of those cells. */
export function layout(
  board: BoardData,
  orientation: Orientation,
  coordinates: boolean,
  crop?: readonly string[],
): Layout {
  const cells = board.cells.map((cell) => {
    const [x, y] = turnPoint([cell.x, cell.y], orientation);
    return { ...cell, x: tidy(x), y: tidy(y) };
  });
  const tilePoints = board.tile.map((point) => turnPoint(point, orientation));
  const gone = board.gone.map((point) => turnPoint(point, orientation));
  const inner = Math.min(
    ...tilePoints.map((point, i) => {
      const next = tilePoints[(i + 1) % tilePoints.length] ?? point;
      return Math.hypot((point[0] + next[0]) / 2, (point[1] + next[1]) / 2);
    }),
  );
  const reach = Math.max(...tilePoints.map(([x, y]) => Math.hypot(x, y)));
  const at = new Map(cells.map((cell) => [cell.name, cell]));
  const inside = crop?.length ? cells.filter((cell) => crop.includes(cell.name)) : cells;
  const centres = inside.map(({ x, y }): Point => [x, y]);
  const middles = [...centres, ...gone];
  const corners = middles.flatMap(([x, y]) => tilePoints.map(([a, b]): Point => [x + a, y + b]));
  const rim = hull(corners, 0.1);
  const rimmed = board.wrapped && !crop?.length ? SEAM : 0;
  const labels = coordinates
    ? board.labels.map(({ text, x, y }) => {
        const [tx, ty] = turnPoint([x, y], orientation);
        const [px, py] = outside(rim, tx, ty, rimmed);
        return { text, x: tidy(px), y: tidy(py) };
      })
    : [];
  const margin = Math.max(
    reach + (coordinates ? 0.02 : OUTLINE),
    Math.max(...tilePoints.flat().map(Math.abs)) + OUTLINE,
    rimmed && !coordinates ? rimmed + 0.6 : 0,
  );
  const texts = labels.map(({ x, y }): Point => [x, y]);
  const whole = union(hull(middles, margin), hull(texts, rimmed ? 0.75 : LABEL));
  const box = crop?.length ? hull(centres, reach * 1.12) : whole;
  const tile = tilePoints.map(([x, y]) => `${tidy(x)},${tidy(y)}`).join(" ");
  const radius = inner * 0.84;
  const unit = (v: number): string => ((tidy(v) / radius) * 0.985).toFixed(3);
  const unitTile = tilePoints.map(([x, y]) => `${unit(x)},${unit(y)}`).join(" ");
  return { cells, tile, inner, radius, unitTile, labels, gone, box, rim, at };
}

/** Return the ratio of height to width of a board's drawing, for the highest of these turns. */
export function tallness(board: BoardData, orientations: readonly Orientation[], coordinates: boolean): number {
  return Math.max(
    ...orientations.map((orientation) => {
      const [, , width, height] = layout(board, orientation, coordinates).box;
      return height / width;
    }),
  );
}

/** a lower corner of a drawing that has room for two buttons, one above the other, or side by side: shares of its width
 * and height */
const CORNER = [
  [0.15, 0.3],
  [0.3, 0.15],
] as const;
/** Return whether a board's drawing leaves both lower corners free. */
export function hasFreeCorners(board: BoardData, orientation: Orientation, coordinates: boolean): boolean {
  const { box, cells, labels } = layout(board, orientation, coordinates);
  const [left, top, width, height] = box;
  return [...cells, ...labels].every(({ x, y }) => {
    const [across, up] = [Math.min(x - left, left + width - x), top + height - y];
    return CORNER.every(([wide, high]) => across > wide * width || up > high * height);
  });
}

/** Return the step in degrees by which a board of these cells can be turned onto its own grid. */
export function turnStep(board: BoardData): number {
  return board.tile.length === 6 ? 60 : board.tile.length ? 360 / board.tile.length : 90;
}

export type Direction = "left" | "right" | "up" | "down";
const HEADINGS: Record<Direction, Point> = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };

/**
 * Return the cell that an arrow key leads to: the nearest one ahead, with sideways distance weighted by 1.5 (a
 * weight of 2 would skip every other row of hexagons). `lane` is the coordinate across the direction that the walk
 * keeps to, so that walking up a hexagonal board stays in its column.
 */
export function neighbour(from: Cell, cells: readonly Cell[], direction: Direction, lane: number): Cell | null {
  const [hx, hy] = HEADINGS[direction];
  const across = hx === 0 ? "x" : "y";
  let best: Cell | null = null;
  let least = Infinity;
  for (const cell of cells) {
    const ahead = (cell.x - from.x) * hx + (cell.y - from.y) * hy;
    if (ahead < 0.2) continue;
    const aside = Math.abs(cell[across] - lane);
    if (Math.abs(cell[across] - from[across]) > ahead * 1.8) continue;
    const cost = ahead + 1.5 * aside;
    if (cost < least - 1e-6) {
      least = cost;
      best = cell;
    }
  }
  return best;
}

/** Return the shaft and the head of an arrow from cell to cell. */
export function arrowPath(from: Cell, to: Cell): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [ux, uy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const at = (back: number, aside: number): string =>
    `${to.x - ux * back - uy * aside} ${to.y - uy * back + ux * aside}`;
  return `M${from.x + ux * 0.2} ${from.y + uy * 0.2}L${at(0.45, 0)}M${at(0.5, 0.18)}L${at(0.2, 0)}L${at(0.5, -0.18)}`;
}

/** Return the outline of a set of cells as SVG path data: the edges that belong to only one of them, holes included. */
export function contour(at: Map<string, Cell>, tile: string, names: Iterable<string>): string {
  const corners = tile.split(" ").map((pair) => pair.split(",").map(Number) as Point);
  const edges = new Map<string, [Point, Point] | null>();
  for (const name of names) {
    const cell = at.get(name);
    if (!cell) continue;
    corners.forEach((corner, i) => {
      const next = corners[(i + 1) % corners.length] ?? corner;
      const a: Point = [cell.x + corner[0], cell.y + corner[1]];
      const b: Point = [cell.x + next[0], cell.y + next[1]];
      const key = `${Math.round((a[0] + b[0]) * 20)} ${Math.round((a[1] + b[1]) * 20)}`;
      edges.set(key, edges.has(key) ? null : [a, b]);
    });
  }
  return joined([...edges.values()].filter((edge) => edge !== null));
}

const spot = ([x, y]: Point): string => `${Math.round(x * 20)} ${Math.round(y * 20)}`;

/** Join edges into as few closed lines as possible, so that corners are joined properly. */
function joined(edges: [Point, Point][]): string {
  const from = new Map<string, [Point, Point][]>();
  for (const edge of edges) {
    for (const end of edge) {
      const here = from.get(spot(end));
      if (here) here.push(edge);
      else from.set(spot(end), [edge]);
    }
  }
  const used = new Set<[Point, Point]>();
  let path = "";
  for (const first of edges) {
    if (used.has(first)) continue;
    used.add(first);
    let end = first[1];
    path += `M${tidy(first[0][0])} ${tidy(first[0][1])}L${tidy(end[0])} ${tidy(end[1])}`;
    for (;;) {
      const next = from.get(spot(end))?.find((edge) => !used.has(edge));
      if (!next) break;
      used.add(next);
      end = spot(next[0]) === spot(end) ? next[1] : next[0];
      path += `L${tidy(end[0])} ${tidy(end[1])}`;
    }
    path += "Z";
  }
  return path;
}

/** Return the closed lines of a contour separately; `rim` marks the one around the others. */
export function loops(path: string): { d: string; rim: boolean }[] {
  const found = path
    .split("M")
    .filter(Boolean)
    .map((part) => {
      const corners = (part.match(/-?[\d.]+ -?[\d.]+/g) ?? []).map((pair) => pair.split(" ").map(Number) as Point);
      const [left, top, width, height] = hull(corners, 0);
      return { d: `M${part}`, left, right: left + width, top, bottom: top + height };
    });
  return found.map((one) => ({
    d: one.d,
    rim: !found.some(
      (other) => other.left < one.left && other.right > one.right && other.top < one.top && other.bottom > one.bottom,
    ),
  }));
}

/** Return the cells around one. */
export function cellsAround(board: BoardData, name: string): string[] {
  const at = board.cells.findIndex((cell) => cell.name === name);
  return (board.neighbours?.[at] ?? []).flatMap((to) => board.cells[to]?.name ?? []);
}

/** Return the screen direction of each direction of a board's neighbours, where it is the same for all cells. */
function headings(board: BoardData, cells: readonly Cell[]): Point[] {
  const ways: Point[] = [];
  board.neighbours?.forEach((around, from) =>
    around.forEach((to, way) => {
      const [a, b] = [cells[from], cells[to]];
      if (ways[way] || !a || !b) return;
      const step: Point = [b.x - a.x, b.y - a.y];
      if (Math.hypot(...step) < 1.5) ways[way] = step;
    }),
  );
  return ways;
}

interface Ghost {
  cell: string;
  x: number;
  y: number;
}
/** Return the cells of a wrapped board that are drawn again beyond the edge, where they touch cells inside. */
export function ghosts(board: BoardData, cells: readonly Cell[]): Ghost[] {
  if (!board.wrapped) return [];
  const ways = headings(board, cells);
  const found = new Map<string, Ghost>();
  board.neighbours?.forEach((around, from) =>
    around.forEach((to, way) => {
      const [a, b, step] = [cells[from], cells[to], ways[way]];
      if (!a || !b || !step || Math.hypot(b.x - a.x, b.y - a.y) < 1.5) return;
      const [x, y] = [tidy(a.x + step[0]), tidy(a.y + step[1])];
      if (!cells.some((cell) => Math.hypot(cell.x - x, cell.y - y) < 0.5))
        found.set(`${x} ${y}`, { cell: b.name, x, y });
    }),
  );
  return [...found.values()];
}

/** Return the cell across the seam in that direction, if no cell is ahead. */
export function across(board: BoardData, cells: readonly Cell[], from: Cell, direction: Direction): Cell | null {
  if (!board.wrapped) return null;
  const [hx, hy] = HEADINGS[direction];
  const around = board.neighbours?.[cells.findIndex((cell) => cell.name === from.name)] ?? [];
  let best: Cell | null = null;
  let most = 0.8;
  headings(board, cells).forEach(([x, y], way) => {
    const along = (x * hx + y * hy) / Math.hypot(x, y);
    const to = cells[around[way] ?? -1];
    if (along > most && to) [best, most] = [to, along];
  });
  return best;
}
