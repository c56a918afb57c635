import { beforeEach, expect, test } from "vitest";
import { endOf, growRecord, leavesOf, MoveNode, pack, unpack } from "../src/lib/moveTree";

let root: MoveNode;
const texts = (nodes: readonly MoveNode[]) => nodes.map((node) => node.text);
beforeEach(() => {
  root = new MoveNode();
  growRecord(root, [
    { text: "a", comment: "first" },
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

test("a tree that is kept comes back the same", () => {
  const again = new MoveNode();
  unpack(again, pack(root.children));
  expect(pack(again.children)).toEqual(pack(root.children));
  expect(texts(leavesOf(again))).toEqual(["f", "d", "e"]);
});

test("a game of thousands of moves is no problem", () => {
  growRecord(
    root,
    Array.from({ length: 5000 }, (_, i) => ({ text: `m${i}` })),
  );
  const last = leavesOf(root).find((node) => node.text === "m4999");
  expect(last?.ply).toBe(5000);
});
