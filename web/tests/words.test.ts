import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { de } from "../src/words/de";
import { en } from "../src/words/en";
import { clauses, ended, enumerated, pieces, preferred, speak, t, type Plural, type Words } from "../src/words/words";
import { zh } from "../src/words/zh";

const LANGUAGES: Record<string, Words> = { en, de, zh };
const SOURCE = new URL("../src/", import.meta.url);
const sources = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(ts|svelte)$/.test(name) && !/words\/(en|de|zh)\.ts$/.test(name))
  .map((name): [string, string] => [name, readFileSync(new URL(name, SOURCE), "utf8")]);
const forms = (message: string | Plural): string[] =>
  typeof message === "string" ? [message] : Object.values(message).filter((one) => one !== undefined);
const holes = (text: string): string[] => [...new Set(text.match(/\{\w+\}/g))].sort();
const marks = (text: string): string[] => (text.match(/\*\*|\[|\]/g) ?? []).sort();

afterEach(() => speak(en, "en"));

test("every text is used", () => {
  const all = sources.map(([, text]) => text).join("\n");
  expect(Object.keys(en).filter((key) => !all.includes(`"${key}"`))).toEqual([]);
});

test.each(Object.entries(LANGUAGES))("%s has the places, links and plurals that it needs", (tag, words) => {
  const wanted = new Intl.PluralRules(tag).resolvedOptions().pluralCategories;
  for (const [key, message] of Object.entries(words) as [keyof typeof en, string | Plural][]) {
    const english: string | Plural = en[key];
    const source = typeof english === "string" ? english : english.other;
    const other = typeof message === "string" ? message : message.other;
    expect(holes(other), key).toEqual(holes(source));
    expect(marks(other), key).toEqual(marks(source));
    for (const form of forms(message)) {
      expect(form.trim(), key).toBe(form);
      expect(form, key).not.toBe("");
      for (const hole of holes(form)) expect(holes(source), key).toContain(hole);
    }
    if (typeof message !== "string") expect(Object.keys(message).sort(), key).toEqual([...wanted].sort());
  }
});

test("a browser gets the first of its languages that there is", () => {
  expect(preferred(["fr-FR", "de-AT", "en"])).toBe("de");
  expect(preferred(["zh-CN", "en"])).toBe("zh");
  expect(preferred(["fr"])).toBe("en");
});

test("numbers decide on the form of a text", () => {
  expect([t("clock.days", { n: 1 }), t("clock.days", { n: 3 })]).toEqual(["1 day", "3 days"]);
  speak(de, "de");
  expect(t("open.watching", { n: 12345 })).toBe("12.345 Zuschauer");
  speak(zh, "zh");
  expect(t("clock.days", { n: 1 })).toBe("1 天");
});

test("what is put into a text is text, whatever it holds", () => {
  const found = pieces("rules.mayRateSignIn");
  expect(found.map((one) => one.link)).toEqual([null, 0, null]);
  expect(t("common.sentence", { text: "**[{text}]**" })).toBe("**[{text}]**.");
});

test("lists and sentences have the marks of the language", () => {
  expect(enumerated(["a1", "", "b2"])).toBe("a1, b2");
  speak(zh, "zh");
  expect([enumerated(["a1", "b2", "c3"]), clauses(["红", undefined, "可选"])]).toEqual(["a1、b2、c3", "红，可选"]);
  expect([ended("不行"), ended("不行。"), enumerated([])]).toEqual(["不行。", "不行。", ""]);
});

test("no list or sentence is put together beside the catalogue", () => {
  const glued = /join\(", "\)|\}\. \$\{/;
  expect(
    sources.filter(([name, text]) => glued.test(text) && !name.startsWith("words/")).map(([name]) => name),
  ).toEqual([]);
});
