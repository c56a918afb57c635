/**
 * What a board shows, independent of the screen: from pieces, marks and the cells that may be chosen to the drawing
 * and the label of each cell, and the motion between two positions: in which order cells change, what slides where, and
 * what fades away. It decides nothing, and the renderer needs nothing else.
 */
import type { Snippet } from "svelte";
import type { Art, BoardData, Cell, GameEvent, Gesture, Mark, Piece, PieceSymbol } from "../lib/types";
import type { Layout, Orientation } from "./geometry";
import type { Pointed } from "./pointer";
import { clauses, t } from "../words/words";

/** What `Board.svelte` draws. */
export interface Drawing {
  board: BoardData;
  art: Art;
  pieces: readonly Piece[];
  marks?: readonly Mark[];
  /** cells of the last move */
  last?: readonly string[];
  orientation?: Orientation;
  coordinates?: boolean;
  /** only the surroundings of these cells */
  crop?: readonly string[] | undefined;
  label: string;
  /** what led to the pieces from those before */
  transition?: Transition | null;
}
/** What may be chosen on a board, and what answers. */
export interface Choosing {
  /** the cells that may be chosen, with what each choice leads to */
  legal: ReadonlyMap<string, readonly string[]>;
  showLegal?: boolean;
  /** whether figures that can move are marked before one is pressed */
  showMovable?: boolean;
  /** legal cells without a mark */
  unmarked?: ReadonlySet<string>;
  chosen?: readonly string[];
  /** the choice that waits to be confirmed or answered */
  ghost?: { cell: string; symbol: string } | null;
  /** the symbol that a legal cell under the pointer would get */
  held?: string | null;
  /** the cell whose choice was just refused, with a count so that its piece shakes every time */
  refused?: { cell: string; serial: number } | null;
  arrows?: readonly Arrow[];
  /** what cells would hold after the previewed choice; null if empty */
  preview?: ReadonlyMap<string, Piece | null> | null;
  /** moves made at a spot of the board */
  gestures?: readonly Gesture[];
  /** every cell may be chosen, to ask about it rather than to move */
  open?: boolean;
  onhover?: (cell: string | null) => void;
  onchoose: (cell: string, how: "pointer" | "key") => void;
  /** answers a long press or a right click at a cell, or at a spot beside it */
  onlong?: (cell: string, spot: Gesture | null) => void;
  /** whether a piece can be dragged from that cell */
  movable?: (cell: string) => boolean;
  ondrag?: (from: string, to: string) => void;
  /** drawn over everything else */
  over?: Snippet<[Layout]>;
  /** whether a press draws instead of choosing */
  draws?: (event: Partial<Pointed>) => boolean;
  /** answers a press that draws, as long as it lasts and when it is `done`; `to` is null off the board */
  ondraw?: (from: string, to: string | null, event: Pointed, done: boolean) => void;
}
/** What the layers of a board share. */
export interface Drawn extends Pick<Drawing, "board" | "art" | "crop"> {
  plan: Layout;
  shown: BoardState;
  chosen: readonly string[];
  held: string | null;
  picture: boolean;
  /** begins the ids of its shapes */
  uid: string;
}

type Input = Required<Pick<Drawing, "art" | "pieces" | "marks" | "last"> & Pick<Choosing, "legal" | "chosen">>;
export interface BoardInput extends Input, Partial<Pick<Choosing, "unmarked">> {
  /** the number of cells */
  size: number;
}

/** A mark drawn as an area over its cells. Marks.svelte knows each `look`. */
export interface Area {
  look: string;
  cells: readonly string[];
}
interface Dot {
  cell: string;
  /** on a piece, on a bare cell, around a piece that a move leads to, or where a new piece may be placed */
  kind: "piece" | "bare" | "goal" | "place";
}

export interface BoardState {
  pieces: ReadonlyMap<string, Piece>;
  areas: readonly Area[];
  arrows: readonly Arrow[];
  /** cells with a ring: of the last move, or blocked */
  rings: readonly { cell: string; last: boolean; blocked: boolean }[];
  /** where the player may move, unless that is all cells or all bare cells */
  dots: readonly Dot[];
  /** whether nearly every cell may be chosen, so that the marks are faint */
  broad: boolean;
  /** Return what a screen reader says of a cell. */
  label(cell: string): string;
}

/** Return the look of a kind of mark, which the game defines. */
export const lookOf = (art: Art, kind: string): string => art.marks[kind] ?? kind;
/** Return the badge for a flag of a piece. */
export const badgeOf = (art: Art, flag: string): string => art.badges[flag] ?? "pennant";

/** Return a symbol in the tone of its owner, if it has no ground of its own. */
export const inTone = (symbol: PieceSymbol, tone: string | undefined): PieceSymbol =>
  symbol.ground === "none" && tone ? { ...symbol, tone } : symbol;

/** Return whether pieces can have owners. Players who share one tone share all pieces. */
export const ownable = (art: Art): boolean =>
  art.players.length === 1 || art.players.some((player) => player.tone !== art.players[0]?.tone);

/** Return whether the pieces are figures, as in chess, not counters. */
export const hasFigures = (art: Art): boolean => art.symbols.every((symbol) => symbol.ground === "none");

export function boardState(input: BoardInput): BoardState {
  const { art, size, marks, legal, chosen } = input;

  const pieces = byCell(input.pieces);
  const cellsOf = (look: string): string[] =>
    marks.filter((mark) => lookOf(art, mark.kind) === look).flatMap((mark) => mark.cells);
  const last = new Set([...input.last, ...cellsOf("last")]);
  const blocked = new Set(cellsOf("blocked"));
  const areas = new Map<string, Area>(); // what is marked twice over is drawn once
  for (const { kind, cells } of marks) {
    const look = lookOf(art, kind);
    if (!["last", "blocked", "unseen", "arrow"].includes(look)) areas.set(look + cells.join(), { look, cells });
  }
  const words = new Map<string, string[]>();
  for (const mark of marks)
    for (const cell of mark.cells) words.set(cell, [...(words.get(cell) ?? []), mark.says || mark.kind]);

  function label(cell: string): string {
    const piece = pieces.get(cell);
    const owner = piece?.owner == null ? undefined : art.players[piece.owner];
    const said = [
      !piece
        ? t("board.empty", { cell })
        : owner && !piece.says.toLocaleLowerCase().includes(owner.name.toLocaleLowerCase())
          ? t("board.pieceOf", { cell, piece: piece.says, player: owner.name })
          : t("option.is", { title: cell, value: piece.says }),
      ...(words.get(cell) ?? []),
    ];
    if (last.has(cell)) said.push(t("board.last"));
    if (chosen.includes(cell)) said.push(t("board.chosen"));
    if (legal.has(cell)) said.push(t(dotOn(cell) === "place" && !always(cell) ? "board.place" : "board.legal"));
    return clauses(said);
  }

  const bare = [...legal.keys()].filter((cell) => !pieces.has(cell)).length;
  const anyBare = bare > 0 && bare === size - pieces.size;
  const nobodys = new Set(
    ownable(art) ? [...pieces.values()].filter((one) => one.owner == null).map((one) => one.cell) : [],
  );
  const anyNobodys = nobodys.size > 0 && [...nobodys].every((cell) => legal.has(cell));
  /** Whether a cell is always legal, which needs no mark: any bare cell, or any unowned piece in a game with owners. */
  const always = (cell: string): boolean => (pieces.has(cell) ? anyNobodys && nobodys.has(cell) : anyBare);

  /** Nothing moves from a bare cell: chosen first, or with a pick in hand, it gets a new piece. */
  const dotOn = (cell: string): Dot["kind"] =>
    pieces.has(cell) ? (chosen.length ? "goal" : "piece") : chosen.length ? "bare" : "place";

  return {
    pieces,
    areas: [...areas.values()],
    arrows: marks.filter((mark) => lookOf(art, mark.kind) === "arrow"),
    rings: [...new Set([...last, ...blocked])].map((cell) => ({
      cell,
      last: last.has(cell),
      blocked: blocked.has(cell),
    })),
    dots:
      legal.size < size
        ? [...legal.keys()]
            .filter((cell) => !chosen.includes(cell) && !always(cell) && !input.unmarked?.has(cell))
            .map((cell) => ({ cell, kind: dotOn(cell) }))
        : [],
    broad: legal.size > 24 && legal.size > size * 0.55,
    label,
  };
}

/** A suggested move over two cells or on one. */
export interface Arrow {
  cells: readonly string[];
  symbol?: string | null;
  label?: string;
  /** 1 for the best */
  weight?: number;
  /** a player's threat, not a suggested move */
  threat?: boolean;
}

/** What led from the position before to the one on the board. */
export interface Transition {
  /** a different number for each */
  serial: number;
  events: readonly Pick<GameEvent, "cells">[];
  /** milliseconds between two events of a chain */
  pace: number;
}

export interface Motion {
  /** by cell, the step of the chain at which it changes */
  order: ReadonlyMap<string, number>;
  /** by cell, where the piece there comes from */
  slides: ReadonlyMap<string, Cell>;
  /** pieces that have left the board */
  leaving: readonly Piece[];
  /** milliseconds until everything has settled */
  lasts: number;
  pace: number;
}
export const NO_MOTION: Motion = { order: new Map(), slides: new Map(), leaving: [], lasts: 0, pace: 0 };
const SETTLE = 500;

type Pieces = ReadonlyMap<string, Piece>;
export const byCell = (pieces: readonly Piece[]): Map<string, Piece> =>
  new Map(pieces.map((piece) => [piece.cell, piece]));

const alike = (a: Piece | undefined, b: Piece | undefined): boolean => a?.symbol === b?.symbol && a?.owner === b?.owner;

/** Return the motion from `before` to `after`; `at` returns where a cell is. */
export function motionBetween(
  before: Pieces,
  after: Pieces,
  { events, pace }: Transition,
  at: ReadonlyMap<string, Cell>,
): Motion {
  const order = new Map<string, number>();
  const slides = new Map<string, Cell>();
  let step = 0;
  for (const event of events) {
    const [from, to] = event.cells;
    const origin = from === undefined ? undefined : at.get(from);
    if (from !== undefined && to !== undefined && event.cells.length === 2 && origin)
      if (before.has(from) && !after.has(from)) slides.set(to, origin);
    const fresh = event.cells.filter((cell) => !order.has(cell) && !alike(before.get(cell), after.get(cell)));
    for (const cell of fresh) order.set(cell, step);
    if (fresh.length) step++;
  }
  const slid = new Set([...slides.values()].map((origin) => origin.name));
  const leaving = [...order.keys()].flatMap((cell) => {
    const piece = before.get(cell);
    return piece && !slid.has(cell) ? [piece] : [];
  });
  return { order, slides, leaving, lasts: SETTLE + step * pace, pace };
}

/** Return as style properties when a cell's change begins and from where its piece slides. */
export function entrance({ order, slides, pace }: Motion, cell: Cell): string {
  const step = order.get(cell.name);
  if (step === undefined) return "";
  const from = slides.get(cell.name);
  const shift = from ? `--dx:${from.x - cell.x}px;--dy:${from.y - cell.y}px;` : "";
  return `${shift}--delay:${Math.round(step * pace)}ms`;
}

/** Return the cells whose piece has changed, or belongs to another player, in the second of two positions. */
export function turnedCells(from: readonly Piece[], to: readonly Piece[]): string[] {
  const [before, after] = [byCell(from), byCell(to)];
  return [...new Set([...before.keys(), ...after.keys()])].filter((cell) => !alike(before.get(cell), after.get(cell)));
}

/** Return the cells that differ between two positions, with their pieces in the second, or null if empty. */
export function differences(from: readonly Piece[], to: readonly Piece[]): Map<string, Piece | null> {
  const [before, after] = [byCell(from), byCell(to)];
  const found = new Map<string, Piece | null>();
  for (const cell of new Set([...before.keys(), ...after.keys()])) {
    const [old, young] = [before.get(cell), after.get(cell)];
    if (!alike(old, young) || old?.flags.join() !== young?.flags.join()) found.set(cell, young ?? null);
  }
  return found;
}

/** Return events for a preview: the chosen cells first, then everything else that changes. */
export function shownEvents(
  chosen: readonly string[],
  from: readonly Piece[],
  to: readonly Piece[],
): Pick<GameEvent, "cells">[] {
  const others = [...differences(from, to).keys()].filter((cell) => !chosen.includes(cell));
  return [{ cells: [...chosen] }, ...others.map((cell) => ({ cells: [cell] }))];
}

/** Return a turn by `angle` degrees as one of at most half a circle. */
export const shorterWay = (angle: number): number => (((angle % 360) + 540) % 360) - 180;

/** Return as style properties how the drawing of a turned board begins: turned back by `angle` around its middle. */
export function turning(cells: readonly Cell[], angle: number): string {
  const middle = (along: "x" | "y"): number => cells.reduce((sum, cell) => sum + cell[along], 0) / cells.length;
  return `--swing:${-angle}deg;transform-origin:${middle("x").toFixed(3)}px ${middle("y").toFixed(3)}px`;
}
