/** A tree of moves from one start: the first child of each node goes on with the line, the others branch off. */
import { freshId } from "./freshId";
import type { RecordTree } from "./types";

/** A move of a record, with the lines that could have stood in its place. */
export type RecordMove = Pick<RecordTree, "text"> &
  Partial<Pick<RecordTree, "comment">> & { variations?: RecordMove[][] };
/** A move of a tree as a list tells it: the number of the move after which it stands (-1: none), text, comment. */
export type ListedMove = [after: number, text: string, comment?: string];

export class MoveNode {
  readonly id = freshId();
  readonly text: string;
  readonly parent: MoveNode | null;
  short = "";
  says = "";
  /** how each notation of the game writes it */
  styled: Record<string, string> = {};
  seat: number | null = null;
  /** whether it begins a turn */
  begins = true;
  /** the position that it led to, once that is known */
  position = "";
  /** where it was made */
  cells: readonly string[] = [];
  comment = "";
  children: MoveNode[] = [];

  constructor(text = "", parent: MoveNode | null = null) {
    this.text = text;
    this.parent = parent;
  }
  /** The moves that lead here, the root left out. */
  get path(): MoveNode[] {
    if (!this.parent) return [];
    const found: MoveNode[] = [this];
    for (let node = this.parent; node.parent; node = node.parent) found.push(node);
    return found.reverse();
  }
  get ply(): number {
    return this.path.length;
  }
  child(text: string): MoveNode | undefined {
    return this.children.find((node) => node.text === text);
  }
  /** The child with that move, made where there is none. */
  grow(text: string): MoveNode {
    const known = this.child(text);
    if (known) return known;
    const made = new MoveNode(text, this);
    this.children.push(made);
    return made;
  }
  /** Take this move and what follows it out of the tree. */
  remove(): void {
    if (this.parent) this.parent.children = this.parent.children.filter((node) => node !== this);
  }
  /** Make the line that leads here the main line. */
  promote(): void {
    for (const node of this.path)
      if (node.parent) node.parent.children = [node, ...node.parent.children.filter((other) => other !== node)];
  }
}

/** The last node of the main line from `node`, or after at most `plies` moves. */
export function endOf(node: MoveNode, plies = Infinity): MoveNode {
  for (let i = 0; i < plies; i++) {
    const next = node.children[0];
    if (!next) break;
    node = next;
  }
  return node;
}

/** How many of a record's moves there are until so many of them were actions: a resignation is none. */
export function movesUntil(moves: readonly { seat: number | null }[], actions: number): number {
  let left = actions;
  const end = moves.findIndex((move) => move.seat !== null && left-- === 0);
  return end < 0 ? moves.length : end;
}

/** The ends of all lines from `root`, the main line's first. */
export function leavesOf(root: MoveNode): MoveNode[] {
  const found: MoveNode[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.children.length) open.push(...node.children.toReversed());
    else found.push(node);
  }
  return found;
}

/** Grow a record's line, and all that branches off it, below `root`. */
export function growRecord(root: MoveNode, line: readonly RecordMove[]): void {
  let at = root;
  for (const move of line) {
    const from = at;
    at = from.grow(move.text);
    at.comment = move.comment ?? "";
    for (const other of move.variations ?? []) growRecord(from, other);
  }
}

/** All nodes below `root` with the number of the one before (-1: none), the main line of each before what branches off. */
export function walked(root: MoveNode): [MoveNode, number][] {
  const found: [MoveNode, number][] = [];
  const open: [MoveNode, number][] = root.children.map((node): [MoveNode, number] => [node, -1]).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const number = found.push(next) - 1;
    open.push(...next[0].children.map((child): [MoveNode, number] => [child, number]).reverse());
  }
  return found;
}

/** All moves below `root` as a list. */
export const listed = (root: MoveNode): ListedMove[] =>
  walked(root).map(([node, after]) => (node.comment ? [after, node.text, node.comment] : [after, node.text]));

/** Grow what such a list tells below `root`; its nodes, in the same order. */
export function growListed(root: MoveNode, moves: readonly ListedMove[]): MoveNode[] {
  const nodes: MoveNode[] = [];
  for (const [after, text, comment] of moves) {
    const from = after < 0 ? root : nodes[after];
    if (!from) throw new Error("A move stands after none.");
    const node = from.grow(text);
    node.comment = comment ?? "";
    nodes.push(node);
  }
  return nodes;
}
