import { expect, test } from "vitest";
import { settings } from "../src/lib/settings.svelte";
import { moveText, notationOf, tableInSkin, tellOf } from "../src/board/skin";
import { table } from "./boards";

const reworded = (words: Record<string, string>, text: string, players: string[] = []): string => {
  settings.skin = { test: "tale" };
  const skins = [{ id: "tale", title: "A tale", words, players, note: "", art: null }];
  return tellOf({ ...table, skins })(text);
};

test("a skin puts its words in the place of whole words, the longest first", () => {
  expect(reworded({ red: "church", reds: "towns" }, "Red takes a red, reds redden.")).toBe(
    "Red takes a church, towns redden.",
  );
  expect(reworded({ cell: "town" }, "North: a cell", ["Upper camp"])).toBe("Upper camp: a town");
});

test("Chinese words need no spaces around them", () => {
  expect(reworded({ 红: "教会", 红格: "教会城镇" }, "绿格旁有你两个红格，c3 变红。")).toBe(
    "绿格旁有你两个教会城镇，c3 变教会。",
  );
});

test("a notation names cells, labels and moves otherwise, in any language", () => {
  settings.skin = {};
  settings.notation = { test: "top" };
  const style = { id: "top", title: "From the top", cells: { a1: "A4", a4: "A1" }, labels: { a: "A", "1": "4" } };
  const labels = ["a", "b", "1"].map((text) => ({ text, x: 0, y: 0 }));
  const styled = { ...table, notations: [style], board: { ...table.board, labels } };
  expect(tellOf(styled)("Take a1, then a4=R; a cell of a11.")).toBe("Take A4, then A1=R; a cell of a11.");
  expect(tellOf(styled)("占领a1，触发a4。")).toBe("占领A4，触发A1。");
  expect(tableInSkin(styled).board.labels.map((label) => label.text)).toEqual(["A", "b", "4"]);
  const move = { text: "+a1", short: "", styled: { top: "A4" } };
  expect(moveText(move, notationOf(styled))).toBe("A4");
  settings.notation = {};
  expect(moveText(move, notationOf(styled))).toBe("+a1");
  expect(tableInSkin(styled).board.labels).toBe(labels);
});
