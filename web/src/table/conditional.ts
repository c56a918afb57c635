/** Conditional moves: the lines of a tree of moves, each up to the player's last answer. */
import { leavesOf, type MoveNode } from "../analysis/moveTree";

/** stands for all that opponents play until it is the player's turn */
export const ANY = "*";

/** Return the player's last answer in each line below `root`. */
export function answersOf(root: MoveNode, seat: number): MoveNode[] {
  const last = leavesOf(root).map((leaf) => leaf.path.findLast((node) => node.seat === seat));
  const found = [...new Set(last.filter((node) => node !== undefined))];
  return found.filter((node) => !found.some((other) => other !== node && other.path.includes(node)));
}

/** Return the line to an `answer`, in which any moves stand for those of opponents before it. */
export function afterAny(answer: MoveNode, seat: number): string[] {
  const { path } = answer;
  const begins = path.findLastIndex((node) => node.seat !== seat) + 1;
  const before = path.slice(0, begins).findLastIndex((node) => node.seat === seat) + 1;
  const texts = path.map((node) => node.text);
  return [...texts.slice(0, before), ANY, ...texts.slice(begins)];
}

/** Add a move that is played to the tree: to the same moves a player has one answer. */
export function answerAlone(node: MoveNode, seat: number): void {
  for (const one of node.path) if (one.seat === seat && one.parent) one.parent.children = [one];
}

/** Delete the line to an `answer`, as far as it leads to no other. Return the node that stays. */
export function removeLine(answer: MoveNode, root: MoveNode): MoveNode {
  let node = answer;
  while (node.parent && node.parent !== root && node.parent.children.length === 1) node = node.parent;
  node.remove();
  return node.parent ?? root;
}
