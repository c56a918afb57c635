import { expect, test } from "vitest";
import { settings } from "../src/lib/settings.svelte";
import { tellOf } from "../src/lib/skin";
import { table } from "./boards";

const told = (words: Record<string, string>, text: string, players: string[] = []): string => {
  settings.skin = { test: "tale" };
  const skins = [{ id: "tale", title: "A tale", words, players, note: "", art: null }];
  return tellOf({ ...table, skins })(text);
};

test("a skin puts its words in the place of whole words, the longest first", () => {
  expect(told({ red: "church", reds: "towns" }, "Red takes a red, reds redden.")).toBe(
    "Red takes a church, towns redden.",
  );
  expect(told({ cell: "town" }, "North: a cell", ["Upper camp"])).toBe("Upper camp: a town");
});

test("Chinese words need no spaces around them", () => {
  expect(told({ 红: "教会", 红格: "教会城镇" }, "绿格旁有你两个红格，c3 变红。")).toBe(
    "绿格旁有你两个教会城镇，c3 变教会。",
  );
});
