/** Skins and notations: the server sends the words and names, and this module puts them in. */
import { settings } from "../lib/settings.svelte";
import type { NotationStyle, Skin, TableData, View } from "../lib/types";
import { t, upper } from "../words/words";

export type Tell = (text: string) => string;
const plainly: Tell = (text) => text;
const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
/** Match a whole word. Chinese words have no spaces around them. */
const PART = "(?!\\p{Script=Han})[\\p{L}\\p{N}]";
const alone = (word: string): string =>
  (/^\p{Script=Han}/u.test(word) ? "" : `(?<!${PART})`) +
  escape(word) +
  (/\p{Script=Han}$/u.test(word) ? "" : `(?!${PART})`);
const NONE = {};
const tellers = new WeakMap<object, WeakMap<object, Tell>>();

export const skinOf = (table: TableData | null): Skin | null =>
  table?.skins?.find((skin) => skin.id === settings.skin[table.game]) ?? null;

/** Return the player's notation for this game, or null for the game's own. */
export const notationOf = (table: TableData | null): NotationStyle | null =>
  table?.notations?.find((style) => style.id === settings.notation[table.game]) ?? null;

/** Return the text of a move in a list. */
export const moveText = (
  move: { text: string; short: string; styled?: Record<string, string> },
  style: NotationStyle | null,
): string => (style && move.styled?.[style.id]) || move.short || move.text;

function teller(skin: Skin | null, style: NotationStyle | null, players: readonly string[]): Tell {
  const ofSkin = tellers.get(skin ?? NONE) ?? new WeakMap<object, Tell>();
  tellers.set(skin ?? NONE, ofSkin);
  const known = ofSkin.get(style ?? NONE);
  if (known) return known;
  const words = new Map([...Object.entries(skin?.words ?? {}), ...Object.entries(style?.cells ?? {})]);
  players.forEach((name, i) => {
    const other = skin?.players[i];
    if (other) words.set(name, other);
  });
  const all = [...words.keys()].sort((a, b) => b.length - a.length).map(alone);
  const find = new RegExp(all.join("|"), "gu");
  const made: Tell = all.length ? (text) => text.replace(find, (word) => words.get(word) ?? word) : plainly;
  ofSkin.set(style ?? NONE, made);
  return made;
}

/** Return the function that rewrites texts of this table for the player's skin and notation. */
export function tellOf(table: TableData | null): Tell {
  const [skin, style] = [skinOf(table), notationOf(table)];
  return (skin || style) && table ? teller(skin, style, table.players) : plainly;
}

/** Return the function that puts the players' names in the place of their sides (such as First and Second). `own` is the
 * viewer's seat, whose sentences `names.own` rewrites, unless cells are `owned`: they are called by the side. */
export function tellNames(sides: readonly string[], names: readonly string[], own: number | null, owned = false): Tell {
  const forms = t("names.own", { player: "\0" }).split(" | ");
  const rules = sides.flatMap((side, seat): [RegExp, string][] => {
    const name = names[seat];
    if (name === undefined || name === side) return [];
    if (seat === own && owned) return [[new RegExp(`^${escape(side)}$`, "u"), name]];
    if (seat !== own) return [[new RegExp(alone(side), "gu"), name]];
    return forms.map((form) => {
      const [from = "", to = ""] = form.split(" = ");
      return [new RegExp(alone(from.replace("\0", side)), "gu"), to];
    });
  });
  const begins = /(?:^|[.!?] )$/;
  return (text) =>
    rules.reduce(
      (words, [find, name]) =>
        words.replace(find, (_, at: number) => (begins.test(words.slice(0, at)) ? upper(name) : name)),
      text,
    );
}

/** Return the table in the player's skin and notation. Its list of `skins` stays, so that the player can choose
 * another. */
export function tableInSkin(whole: TableData): TableData {
  const skin = skinOf(whole);
  const style = notationOf(whole);
  const labels = style && whole.board.labels.map((one) => ({ ...one, text: style.labels[one.text] ?? one.text }));
  const table = labels ? { ...whole, board: { ...whole.board, labels } } : whole;
  if (!skin) return table;
  const tell = tellOf(table);
  const players = table.players.map((name, i) => skin.players[i] ?? name);
  const art = skin.art ?? table.art;
  return {
    ...table,
    players,
    art: { ...art, players: art.players.map((player, i) => ({ ...player, name: players[i] ?? player.name })) },
    picks: table.picks.map((pick) => ({ ...pick, label: tell(pick.label), note: tell(pick.note) })),
    explorations: table.explorations?.map((one) => ({ ...one, title: tell(one.title), help: tell(one.help) })) ?? [],
    standing: table.standing ? tell(table.standing) : null,
  };
}

/** Return the view in the words of a skin. */
export function viewInSkin(view: View, tell: Tell): View {
  if (tell === plainly) return view;
  const { scene } = view;
  return {
    ...view,
    paths: view.paths.map(([action, steps, says]) => [action, steps, tell(says)]),
    gestures: view.gestures?.map((one) => ({ ...one, title: tell(one.title), says: tell(one.says) })) ?? [],
    scene: {
      ...scene,
      prompt: tell(scene.prompt),
      result: tell(scene.result),
      grave: Object.fromEntries(Object.entries(scene.grave).map(([action, why]) => [action, tell(why)])),
      pieces: scene.pieces.map((piece) => ({ ...piece, says: tell(piece.says) })),
      marks: scene.marks.map((mark) => ({ ...mark, says: tell(mark.says) })),
      panels: scene.panels.map((panel) => ({
        ...panel,
        title: tell(panel.title),
        lines: panel.lines.map(tell),
        counters: panel.counters.map((counter) => ({ ...counter, label: tell(counter.label) })),
      })),
    },
  };
}
