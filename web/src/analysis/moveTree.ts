/** A tree of moves from one start. The first child of each node continues the line; the others are variations. */
import { freshId } from "../lib/sockets";
import type { RecordTree, TreeChange } from "../lib/types";

/** A move of a record, with its variations. */
export type RecordMove = Pick<RecordTree, "text"> &
  Partial<Pick<RecordTree, "comment" | "signs">> & { variations?: RecordMove[][] };
/** A move of a tree in a flat list: the number of the move before it (-1 for the start), its text, its comment and its
 * signs. */
export type ListedMove = [after: number, text: string, comment?: string, signs?: string];

export class MoveNode {
  readonly id = freshId();
  short = "";
  says = "";
  /** the move in each notation of the game */
  styled: Record<string, string> = {};
  seat: number | null = null;
  /** whether the move begins a turn */
  begins = true;
  /** the position after the move, once it is known */
  position = "";
  /** the cells of the move */
  cells: readonly string[] = [];
  comment = "";
  /** signs of judgement in the record, such as `!?` */
  signs = "";
  children: MoveNode[] = [];

  constructor(
    readonly text = "",
    readonly parent: MoveNode | null = null,
  ) {}
  /** The moves that lead here, without the root. */
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
  /** Return the child with that move; create it if necessary. */
  grow(text: string): MoveNode {
    const known = this.child(text);
    if (known) return known;
    const made = new MoveNode(text, this);
    this.children.push(made);
    return made;
  }
  /** Delete this move and all moves after it. */
  remove(): void {
    if (this.parent) this.parent.children = this.parent.children.filter((node) => node !== this);
  }
  /** Make the line that leads here the main line. */
  promote(): void {
    for (const node of this.path)
      if (node.parent) node.parent.children = [node, ...node.parent.children.filter((other) => other !== node)];
  }
}

/** Make a change that was made elsewhere, or that the server does not know yet. */
export function changeTree(root: MoveNode, { path, what, comment, signs }: TreeChange): void {
  let node = root;
  for (const text of path) {
    const next = what ? node.child(text) : node.grow(text);
    if (!next) return;
    node = next;
  }
  if (what === "main") node.promote();
  else if (what === "remove") node.remove();
  node.comment = comment ?? node.comment;
  node.signs = signs ?? node.signs;
}

/** Make a tree like a flat list: nodes that stay are the same objects. */
export function syncTree(root: MoveNode, moves: readonly ListedMove[]): void {
  const stays = new Map<MoveNode, MoveNode[]>([[root, []]]);
  for (const node of growListed(root, moves)) {
    if (!stays.has(node)) stays.get(node.parent ?? root)?.push(node);
    stays.set(node, stays.get(node) ?? []);
  }
  for (const [node, children] of stays) node.children = children;
}

/** Return the last node of the main line from `node`, or the node after `plies` moves. */
export function endOf(node: MoveNode, plies = Infinity): MoveNode {
  for (let i = 0; i < plies; i++) {
    const next = node.children[0];
    if (!next) break;
    node = next;
  }
  return node;
}

/** Return how many moves of a record hold that many actions; a resignation is a move but not an action. */
export function movesUntil(moves: readonly { seat: number | null }[], actions: number): number {
  let left = actions;
  const end = moves.findIndex((move) => move.seat !== null && left-- === 0);
  return end < 0 ? moves.length : end;
}

/** Return the ends of all lines from `root`, beginning with the main line. */
export function leavesOf(root: MoveNode): MoveNode[] {
  const found: MoveNode[] = [];
  const open = [root];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.children.length) open.push(...node.children.toReversed());
    else found.push(node);
  }
  return found;
}

/** Add the line of a record, with its variations, below `root`. */
export function growRecord(root: MoveNode, line: readonly RecordMove[]): void {
  let at = root;
  for (const move of line) {
    const from = at;
    at = from.grow(move.text);
    at.comment = move.comment ?? "";
    at.signs = move.signs ?? "";
    for (const other of move.variations ?? []) growRecord(from, other);
  }
}

/** Return all nodes below `root`, each with the number of its parent (-1 for the root). Main lines precede
 * variations. */
export function walked(root: MoveNode): [MoveNode, number][] {
  const found: [MoveNode, number][] = [];
  const open: [MoveNode, number][] = root.children.map((node): [MoveNode, number] => [node, -1]).reverse();
  for (let next = open.pop(); next; next = open.pop()) {
    const number = found.push(next) - 1;
    open.push(...next[0].children.map((child): [MoveNode, number] => [child, number]).reverse());
  }
  return found;
}

/** Return all moves below `root` as a flat list. */
export const listed = (root: MoveNode): ListedMove[] =>
  walked(root).map(([{ text, comment, signs }, after]) =>
    signs ? [after, text, comment, signs] : comment ? [after, text, comment] : [after, text],
  );

/** Add the moves of a flat list below `root`, and return their nodes in the same order. */
export function growListed(root: MoveNode, moves: readonly ListedMove[]): MoveNode[] {
  const nodes: MoveNode[] = [];
  for (const [after, text, comment, signs] of moves) {
    const from = after < 0 ? root : nodes[after];
    if (!from) throw new Error("A move stands after none.");
    const node = from.grow(text);
    node.comment = comment ?? "";
    node.signs = signs ?? "";
    nodes.push(node);
  }
  return nodes;
}
