/**
 * The texts of the page in the language of whoever reads it. All of them stand in `en.ts`; `de.ts` and `zh.ts` have the
 * same keys, which the types hold them to. One language is fetched, before anything is shown; another one is chosen by
 * loading the page again.
 */
import { settings } from "../lib/settings.svelte";
import type { en } from "./en";

/** A text with a form for each plural that the language has; `{n}` decides. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
type English = typeof en;
export type Key = keyof English;
/** A whole catalogue: every key, and for plurals the forms of its language. */
export type Words = { readonly [K in Key]: English[K] extends string ? string : Plural };

type Holes<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Holes<Rest> : never;
type HolesOf<Message> = Message extends string
  ? Holes<Message>
  : Message extends Plural
    ? "n" | Holes<Message["other"]>
    : never;
/** What is put into a text, by the name of its place. */
export type Given<K extends Key> = Record<HolesOf<English[K]>, string | number>;
type Arguments<K extends Key> = [HolesOf<English[K]>] extends [never] ? [] : [given: Given<K>];
/** Texts in which nothing is put. */
export type PlainKey = { [K in Key]: [HolesOf<English[K]>] extends [never] ? K : never }[Key];

export type Language = "en" | "de" | "zh";
/** The languages by the names that they give themselves. */
export const LANGUAGES: readonly (readonly [Language, string])[] = [
  ["en", "English"],
  ["de", "Deutsch"],
  ["zh", "简体中文"],
];
const TAGS: Readonly<Record<Language, string>> = { en: "en", de: "de", zh: "zh-Hans" };
const CATALOGUES: Readonly<Record<Language, () => Promise<Words>>> = {
  en: async () => (await import("./en")).en,
  de: async () => (await import("./de")).de,
  zh: async () => (await import("./zh")).zh,
};

const asked: readonly string[] = typeof navigator === "undefined" ? [] : navigator.languages;
const spoken = (tag: string): Language | undefined => LANGUAGES.find(([id]) => tag.split("-")[0] === id)?.[0];

/** The first of the browser's languages that there is; English where there is none. */
export const preferred = (tags: readonly string[]): Language =>
  tags.map(spoken).find((one) => one !== undefined) ?? "en";

/** What the person chose, else what his browser asks for. */
export const language: Language = LANGUAGES.find(([id]) => id === settings.language)?.[0] ?? preferred(asked);
/** How numbers and dates are written: as the browser's own form of the language does. */
export const locale: string = asked.find((tag) => spoken(tag) === language) ?? TAGS[language];

let words: Partial<Words> = {};
let rules = new Intl.PluralRules(locale);
const WRITTEN: Intl.NumberFormatOptions = { useGrouping: "min2" as never, maximumFractionDigits: 2 };
let numbers = new Intl.NumberFormat(locale, WRITTEN);

/** Fetch the texts of the language. */
export async function loadWords(): Promise<void> {
  words = await CATALOGUES[language]().catch(CATALOGUES.en);
  document.documentElement.lang = TAGS[language];
}
/** Speak with these words, for tests. */
export function speak(given: Words, tag: string): void {
  words = given;
  rules = new Intl.PluralRules(tag);
  numbers = new Intl.NumberFormat(tag, WRITTEN);
}

export const shownNumber = (value: number): string => numbers.format(value);

function template(key: Key, given: Readonly<Record<string, string | number>>): string {
  const found: string | Plural | undefined = words[key];
  if (found === undefined || typeof found === "string") return found ?? key;
  return found[rules.select(Number(given.n))] ?? found.other;
}
const filled = (text: string, given: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = given[name];
    return value === undefined ? hole : typeof value === "number" ? shownNumber(value) : value;
  });

/** A text of the page. */
export function t<K extends Key>(key: K, ...[given]: Arguments<K>): string {
  const all: Readonly<Record<string, string | number>> = given ?? {};
  return filled(template(key, all), all);
}

/** A piece of a text: plain, or in bold, or as one of its links, which are counted from 0. */
export interface Piece {
  text: string;
  bold: boolean;
  link: number | null;
}
/** A text with `**words**` in bold and `[links]`. What is put into it is text, whatever it holds. */
export function pieces(key: Key, given: Readonly<Record<string, string | number>> = {}): Piece[] {
  let links = 0;
  return template(key, given)
    .split(/(\*\*.*?\*\*|\[.*?\])/)
    .filter((part) => part !== "")
    .map((part): Piece => {
      const [bold, link] = [part.startsWith("**"), part.startsWith("[")];
      const text = bold ? part.slice(2, -2) : link ? part.slice(1, -1) : part;
      return { text: filled(text, given), bold, link: link ? links++ : null };
    });
}

/** `a, b and c`. */
export const listed = (all: readonly string[]): string =>
  new Intl.ListFormat(locale, { type: "conjunction" }).format(all);

const joined = (key: "common.items" | "common.clauses", all: readonly (string | null | undefined)[]): string =>
  all
    .filter((one) => one)
    .reduce<string>((first, next) => (first ? t(key, { first, next: next ?? "" }) : (next ?? "")), "");
/** `a, b, c`: things of a kind. What is empty is left out. */
export const enumerated = (all: readonly (string | null | undefined)[]): string => joined("common.items", all);
/** `this, and that`: parts of what is said of one thing. What is empty is left out. */
export const clauses = (all: readonly (string | null | undefined)[]): string => joined("common.clauses", all);
/** A text as it stands at the beginning of a sentence. */
export const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
/** A text with the mark that ends a sentence, if it has none. */
export const ended = (text: string): string => (/[.!?…。！？]$/.test(text) ? text : t("common.sentence", { text }));
