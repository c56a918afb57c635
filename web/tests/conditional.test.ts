import { expect, test } from "vitest";
import { MoveNode } from "../src/analysis/moveTree";
import { afterAny, answerAlone, answersOf, removeLine } from "../src/table/conditional";

const MINE = 0;
/** A tree of lines: capitals are the player's moves. */
function tree(...lines: string[]): MoveNode {
  const root = new MoveNode();
  for (const line of lines)
    [...line].reduce((node, text) => {
      const next = node.grow(text);
      next.seat = text === text.toUpperCase() ? MINE : 1;
      return next;
    }, root);
  return root;
}
const at = (root: MoveNode, line: string): MoveNode =>
  [...line].reduce((node, text) => node.child(text) ?? new MoveNode(), root);
const text = (node: MoveNode): string => node.path.map((one) => one.text).join("");
const lines = (root: MoveNode): string[] => answersOf(root, MINE).map(text);

test("a line ends with the player's last answer", () => {
  expect(lines(tree("aBcD", "aBdE", "fG"))).toEqual(["aBcD", "aBdE", "fG"]);
  expect(lines(tree("aBc"))).toEqual(["aB"]);
  expect(lines(tree("aBc", "aBdE"))).toEqual(["aBdE"]);
  expect(lines(tree("ab"))).toEqual([]);
});

test("an answer to any move keeps the moves before it", () => {
  const root = tree("abCDefGH");
  expect(afterAny(at(root, "abCDefGH"), MINE).join("")).toBe("abCD*GH");
  expect(afterAny(at(root, "abCD"), MINE).join("")).toBe("*CD");
});

test("another answer takes the place of the one before", () => {
  const root = tree("aBcD", "aE");
  answerAlone(at(root, "aE"), MINE);
  expect(lines(root)).toEqual(["aE"]);
});

test("a line is removed as far as it leads nowhere else", () => {
  const root = tree("aBcD", "aBdE", "fG");
  expect(removeLine(at(root, "aBcD"), root)).toBe(at(root, "aB"));
  expect(lines(root)).toEqual(["aBdE", "fG"]);
  expect(removeLine(at(root, "fG"), root)).toBe(root);
  expect(lines(root)).toEqual(["aBdE"]);
});
