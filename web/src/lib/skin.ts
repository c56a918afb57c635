/** The same game told otherwise: the server hands over the words, here they are put in. */
import { settings } from "./settings.svelte";
import type { Skin, TableData, View } from "./types";

export type Tell = (text: string) => string;
const plainly: Tell = (text) => text;
const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
/** A word where it stands alone; Chinese ones stand beside others without spaces. */
const alone = (word: string): string =>
  (/^\p{Script=Han}/u.test(word) ? "" : "(?<![\\p{L}\\p{N}])") +
  escape(word) +
  (/\p{Script=Han}$/u.test(word) ? "" : "(?![\\p{L}\\p{N}])");
const tellers = new WeakMap<Skin, Tell>();

export const skinOf = (table: TableData | null): Skin | null =>
  table?.skins?.find((skin) => skin.id === settings.skin[table.game]) ?? null;

function teller(skin: Skin, players: readonly string[]): Tell {
  const known = tellers.get(skin);
  if (known) return known;
  const words = new Map(Object.entries(skin.words));
  players.forEach((name, i) => {
    const other = skin.players[i];
    if (other) words.set(name, other);
  });
  const all = [...words.keys()].sort((a, b) => b.length - a.length).map(alone);
  const find = new RegExp(all.join("|"), "gu");
  const made: Tell = all.length ? (text) => text.replace(find, (word) => words.get(word) ?? word) : plainly;
  tellers.set(skin, made);
  return made;
}

/** How things are said at this table in the skin that the person chose. */
export function tellOf(table: TableData | null): Tell {
  const skin = skinOf(table);
  return skin && table ? teller(skin, table.players) : plainly;
}

/** The table as the chosen skin draws it. Its `skins` stay, so that another can be chosen. */
export function tableInSkin(table: TableData): TableData {
  const skin = skinOf(table);
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

/** The view in the words of a skin. */
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
