/**
 * The texts of the page in the reader's language. `en.ts` holds all keys; `de.ts` and `zh.ts` have the same ones,
 * which their types enforce. The page loads one language before it shows anything; choosing another one reloads the
 * page.
 */
import type { en } from "./en";
import { kept } from "../storage/kept";

/** A text with one form for each plural of the language; `{n}` decides. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
type English = typeof en;
export type Key = keyof English;
/** A whole catalogue: every key, with the plural forms of its language. */
export type Words = { readonly [K in Key]: English[K] extends string ? string : Plural };

type Holes<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Holes<Rest> : never;
type HolesOf<Message> = Message extends string
  ? Holes<Message>
  : Message extends Plural
    ? "n" | Holes<Message["other"]>
    : never;
/** The values for the placeholders of a text, by name. */
export type Given<K extends Key> = Record<HolesOf<English[K]>, string | number>;
type Arguments<K extends Key> = [HolesOf<English[K]>] extends [never] ? [] : [given: Given<K>];
/** The keys of texts without placeholders. */
export type PlainKey = { [K in Key]: [HolesOf<English[K]>] extends [never] ? K : never }[Key];

export type Language = "en" | "de" | "zh";
/** The languages by their own names. */
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

/** Return the first of the browser's languages that has a catalogue, or else English. */
export const preferred = (tags: readonly string[]): Language =>
  tags.map(spoken).find((one) => one !== undefined) ?? "en";

const chosen = kept<{ language?: string }>("settings", {}).language;
/** The language that the player chose, or else the browser's. */
export const language: Language = LANGUAGES.find(([id]) => id === chosen)?.[0] ?? preferred(asked);
/** The locale for numbers and dates: the browser's variant of the language. */
export const locale: string = asked.find((tag) => spoken(tag) === language) ?? TAGS[language];

let words: Partial<Words> = {};
let rules = new Intl.PluralRules(locale);
const WRITTEN: Intl.NumberFormatOptions = { useGrouping: "min2" as never, maximumFractionDigits: 2 };
let numbers = new Intl.NumberFormat(locale, WRITTEN);

/** Load the texts of the language. */
export async function loadWords(): Promise<void> {
  words = await CATALOGUES[language]().catch(CATALOGUES.en);
  document.documentElement.lang = TAGS[language];
}
/** Use these texts, for tests. */
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
export const filled = (text: string, given: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = given[name];
    return value === undefined ? hole : typeof value === "number" ? shownNumber(value) : value;
  });

/** Return a text of the page. */
export function t<K extends Key>(key: K, ...[given]: Arguments<K>): string {
  const all: Readonly<Record<string, string | number>> = given ?? {};
  return filled(template(key, all), all);
}

/** A part of a text: plain, bold, or one of its links, numbered from 0. */
export interface Piece {
  text: string;
  bold: boolean;
  link: number | null;
  /** whether it is a name, which no translator may change */
  name: boolean;
}
/** Split a text into parts, with `**words**` in bold, `[links]` and names. Values of placeholders are never parsed. */
export function pieces(key: Key, given: Readonly<Record<string, string | number>> = {}): Piece[] {
  let links = 0;
  return template(key, given)
    .split(/(\*\*.*?\*\*|\[.*?\]|\{(?:names?|game)\})/)
    .filter((part) => part !== "")
    .map((part): Piece => {
      const [bold, link] = [part.startsWith("**"), part.startsWith("[")];
      const text = bold ? part.slice(2, -2) : link ? part.slice(1, -1) : part;
      return { text: filled(text, given), bold, link: link ? links++ : null, name: /^\{(names?|game)\}$/.test(text) };
    });
}

/** Join as `a, b and c`. */
export const listed = (all: readonly string[]): string =>
  new Intl.ListFormat(locale, { type: "conjunction" }).format(all);

const joined = (key: "common.items" | "common.clauses", all: readonly (string | null | undefined)[]): string =>
  all
    .filter((one) => one)
    .reduce<string>((first, next) => (first ? t(key, { first, next: next ?? "" }) : (next ?? "")), "");
/** Join items as `a, b, c`, without empty ones. */
export const enumerated = (all: readonly (string | null | undefined)[]): string => joined("common.items", all);
/** Join statements about one thing as `this, and that`, without empty ones. */
export const clauses = (all: readonly (string | null | undefined)[]): string => joined("common.clauses", all);
/** Return a text with a capital letter, for the beginning of a sentence. */
export const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
/** Split a text into its sentences, each with the space after it. */
export const sentences = (text: string): string[] =>
  [...new Intl.Segmenter(locale, { granularity: "sentence" }).segment(text)].map((one) => one.segment);
/** Return a text with a full stop, if it has no final mark. */
export const ended = (text: string): string => (/[.!?…。！？]$/.test(text) ? text : t("common.sentence", { text }));
