/** A tree of moves from one start: the first child of each node goes on with the line, the others branch off. */
import { freshId } from "./freshId";
import type { RecordTree } from "./types";

/** A move of a record, with the lines that could have stood in its place. */
export type RecordMove = Pick<RecordTree, "text"> &
  Partial<Pick<RecordTree, "comment">> & { variations?: RecordMove[][] };
/** A tree as it is kept in the browser: texts and children only. */
export interface PackedMove {
  t: string;
  c?: PackedMove[];
}

export class MoveNode {
  readonly id = freshId();
  readonly text: string;
  readonly parent: MoveNode | null;
  short = "";
  says = "";
  seat: number | null = null;
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

export const pack = (nodes: readonly MoveNode[]): PackedMove[] =>
  nodes.map((node) => (node.children.length ? { t: node.text, c: pack(node.children) } : { t: node.text }));

export function unpack(root: MoveNode, moves: readonly PackedMove[]): void {
  for (const move of moves) unpack(root.grow(move.t), move.c ?? []);
}
