import { beforeEach, expect, test } from "vitest";
import { changeTree, endOf, growListed, growRecord, leavesOf, listed, MoveNode } from "../src/analysis/moveTree";
import { movesUntil, syncTree, type ListedMove } from "../src/analysis/moveTree";

let root: MoveNode;
const texts = (nodes: readonly MoveNode[]) => nodes.map((node) => node.text);
beforeEach(() => {
  root = new MoveNode();
  growRecord(root, [
    { text: "a", comment: "first", signs: "!?" },
    { text: "b", variations: [[{ text: "c" }, { text: "d", variations: [[{ text: "e" }]] }]] },
    { text: "f" },
  ]);
});

test("a record's variations branch off where they could have been played", () => {
  expect(texts(endOf(root).path)).toEqual(["a", "b", "f"]);
  expect(texts(leavesOf(root))).toEqual(["f", "d", "e"]);
  expect(root.child("a")?.comment).toBe("first");
  expect(texts(root.child("a")?.children ?? [])).toEqual(["b", "c"]);
});

test("the main line can be followed for some plies", () => {
  expect(endOf(root, 0)).toBe(root);
  expect(endOf(root, 2).text).toBe("b");
  expect(endOf(root, 2).ply).toBe(2);
});

test("what is no action is not counted", () => {
  const moves = [0, 1, null, 2].map((seat) => ({ seat }));
  expect([0, 1, 2, 3, 9].map((actions) => movesUntil(moves, actions))).toEqual([0, 1, 3, 4, 4]);
});

test("the same move grows no second node", () => {
  const known = root.child("a");
  expect(root.grow("a")).toBe(known);
  expect(root.children).toHaveLength(1);
});

test("a line that is promoted becomes the main line, all the way up", () => {
  leavesOf(root)
    .find((node) => node.text === "e")
    ?.promote();
  expect(texts(endOf(root).path)).toEqual(["a", "c", "e"]);
  expect(texts(root.child("a")?.children ?? [])).toEqual(["c", "b"]);
});

test("what is removed takes along what follows it", () => {
  root.child("a")?.child("c")?.remove();
  expect(texts(leavesOf(root))).toEqual(["f"]);
});

test("a tree written as a list comes back the same, comments and all", () => {
  const again = new MoveNode();
  growListed(again, listed(root));
  expect(listed(root)[0]).toEqual([-1, "a", "first", "!?"]);
  expect(listed(again)).toEqual(listed(root));
  expect(texts(leavesOf(again))).toEqual(["f", "d", "e"]);
  expect(() => growListed(new MoveNode(), [[7, "x"]])).toThrow();
});

test("a game of thousands of moves is no problem", () => {
  growRecord(
    root,
    Array.from({ length: 5000 }, (_, i) => ({ text: `m${i}` })),
  );
  const last = leavesOf(root).find((node) => node.text === "m4999");
  expect(last?.ply).toBe(5000);
  const again = new MoveNode();
  growListed(again, listed(root));
  expect(listed(again)).toEqual(listed(root));
});

test("changes that others made are made to the tree", () => {
  root = new MoveNode();
  growListed(root, [
    [-1, "a"],
    [0, "b"],
    [-1, "c"],
  ]);
  changeTree(root, { path: ["a", "d"], comment: "new" });
  changeTree(root, { path: ["c"], what: "main" });
  changeTree(root, { path: ["a", "b"], what: "remove" });
  changeTree(root, { path: ["none", "b"], what: "remove" });
  changeTree(root, { path: [], comment: "start" });
  expect(root.comment).toBe("start");
  expect(listed(root)).toEqual([
    [-1, "c"],
    [-1, "a"],
    [1, "d", "new"],
  ]);
});

test("a tree is made like another, and nodes that stay are the same", () => {
  root = new MoveNode();
  const [a, b] = growListed(root, [
    [-1, "a"],
    [0, "b"],
    [-1, "c"],
  ]);
  const moves: ListedMove[] = [
    [-1, "d"],
    [-1, "a"],
    [1, "b", "note"],
  ];
  syncTree(root, moves);
  expect(listed(root)).toEqual(moves);
  expect(root.children[1]).toBe(a);
  expect(a?.children[0]).toBe(b);
});
