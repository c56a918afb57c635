/** Where analyses are saved: with the account on the server, or on this device. */
import { ask } from "../lib/api";
import { freshId } from "../lib/sockets";
import { signedIn } from "../lib/me.svelte";
import type { AnalysisListed, AnalysisResponse, ChapterResponse, TreeChange } from "../lib/types";
import { Store } from "../storage/database";
import type { AnalysisData } from "./analysisLink";
import type { ListedMove } from "./moveTree";
import { t } from "../words/words";

/** What the owner of a shared analysis chooses. */
export type Sharing = Partial<Pick<AnalysisResponse, "access"> & { editors: string[] }>;
export type Chapter = AnalysisData & { version: number };
export interface Shelf {
  list(): Promise<AnalysisListed[]>;
  /** Save a new analysis with one chapter, and return its id. */
  make(name: string, chapter: string, data: AnalysisData): Promise<string>;
  open(id: string): Promise<AnalysisResponse>;
  change(id: string, change: Sharing & { name?: string }): Promise<AnalysisResponse>;
  remove(id: string): Promise<unknown>;
  add(id: string, name: string, data: AnalysisData): Promise<number>;
  chapter(id: string, number: number): Promise<Chapter>;
  /** Store changes of a chapter, which is `data` now, and return its version. */
  edit(id: string, number: number, changes: readonly TreeChange[], data: AnalysisData): Promise<number>;
  rename(id: string, number: number, name: string): Promise<unknown>;
  drop(id: string, number: number): Promise<unknown>;
}

/** Return a chapter as the server takes it. */
const sent = ({ start, moves, comment = "", headers = {} }: AnalysisData) => ({
  start,
  comment,
  headers,
  moves: moves.map(([after, text, remark, signs]) => ({
    after,
    text,
    ...(remark && { comment: remark }),
    ...(signs && { signs }),
  })),
});
const taken = ({ start, moves, comment, headers, version }: ChapterResponse): Chapter => ({
  start,
  comment,
  headers,
  version,
  at: -1,
  moves: moves.map(({ after, text, comment = "", signs = "" }): ListedMove => [after, text, comment, signs]),
});

const onServer: Shelf = {
  list: async () => (await ask("GET /api/me/analyses", {})).analyses,
  make: async (name, chapter, data) => (await ask("POST /api/analyses", { name, chapter, ...sent(data) })).id,
  open: (analysis) => ask("GET /api/analyses/{analysis}", { analysis }, { quiet: true }),
  change: (analysis, change) => ask("POST /api/analyses/{analysis}", { analysis, ...change }),
  remove: (analysis) => ask("DELETE /api/analyses/{analysis}", { analysis }),
  add: async (analysis, name, data) =>
    (await ask("POST /api/analyses/{analysis}/chapters", { analysis, name, ...sent(data) })).number,
  chapter: async (analysis, number) =>
    taken(await ask("GET /api/analyses/{analysis}/chapters/{number}", { analysis, number }, { quiet: true })),
  edit: async (analysis, number, changes) =>
    (await ask("POST /api/analyses/{analysis}/chapters/{number}", { analysis, number, changes })).version,
  rename: (analysis, number, name) =>
    ask("POST /api/analyses/{analysis}/chapters/{number}", { analysis, number, name }),
  drop: (analysis, number) => ask("DELETE /api/analyses/{analysis}/chapters/{number}", { analysis, number }),
};

/** An analysis on this device. */
interface Kept {
  id: string;
  name: string;
  game: string;
  at: number;
  chapters: { number: number; name: string; data: AnalysisData }[];
}
const KEY = "analyses/";
const HERE = "here-";
/** The limits are those of the server. */
const MOST = { analyses: 100, chapters: 64, characters: 1_000_000 };
const gameOf = (start: string): string => start.split("/")[0] ?? "";

class DeviceShelf implements Shelf {
  readonly #texts = new Store();

  async #kept(id: string): Promise<Kept> {
    const text = await this.#texts.get(KEY + id);
    if (!text) throw new Error(t("saved.none"));
    return JSON.parse(text) as Kept;
  }
  async #put(kept: Kept): Promise<void> {
    const text = JSON.stringify({ ...kept, at: Date.now() });
    if (text.length > MOST.characters) throw new Error(t("saved.large"));
    if (!(await this.#texts.put(KEY + kept.id, text))) throw new Error(t("saved.full"));
  }
  async #change<T>(id: string, change: (kept: Kept) => T): Promise<T> {
    const kept = await this.#kept(id);
    const result = change(kept);
    await this.#put(kept);
    return result;
  }
  #shown({ id, name, game, chapters }: Kept): AnalysisResponse {
    const owner = { handle: "", name: "", kind: "account" } as const;
    const listed = chapters.map(({ number, name, data }) => ({ number, name, game: gameOf(data.start), version: 1 }));
    return { id, name, game, access: "private", owner, isOwner: true, mayEdit: true, editors: [], chapters: listed };
  }

  async list(): Promise<AnalysisListed[]> {
    const keys = await this.#texts.list(KEY);
    const all = await Promise.all(keys.map((key) => this.#kept(key.slice(KEY.length))));
    return all
      .sort((one, other) => other.at - one.at)
      .map((kept) => ({ ...this.#shown(kept), at: kept.at, chapters: kept.chapters.length }));
  }
  async make(name: string, chapter: string, data: AnalysisData): Promise<string> {
    if ((await this.#texts.list(KEY)).length >= MOST.analyses) throw new Error(t("saved.many"));
    const id = HERE + freshId();
    await this.#put({ id, name, game: gameOf(data.start), at: 0, chapters: [{ number: 1, name: chapter, data }] });
    return id;
  }
  open = async (id: string): Promise<AnalysisResponse> => this.#shown(await this.#kept(id));
  async change(id: string, { name }: { name?: string }): Promise<AnalysisResponse> {
    if (name) await this.#change(id, (kept) => (kept.name = name));
    return this.open(id);
  }
  remove = (id: string): Promise<void> => this.#texts.remove(KEY + id);
  add = (id: string, name: string, data: AnalysisData): Promise<number> =>
    this.#change(id, ({ chapters }) => {
      if (chapters.length >= MOST.chapters) throw new Error(t("saved.large"));
      const number = Math.max(...chapters.map((one) => one.number)) + 1;
      chapters.push({ number, name, data });
      return number;
    });
  async chapter(id: string, number: number): Promise<Chapter> {
    const one = (await this.#kept(id)).chapters.find((each) => each.number === number);
    if (!one) throw new Error(t("saved.none"));
    return { ...one.data, version: 1 };
  }
  edit = (id: string, number: number, _: readonly TreeChange[], data: AnalysisData): Promise<number> =>
    this.#change(id, ({ chapters }) => {
      for (const one of chapters) if (one.number === number) one.data = data;
      return 1;
    });
  rename = (id: string, number: number, name: string): Promise<unknown> =>
    this.#change(id, ({ chapters }) => {
      for (const one of chapters) if (one.number === number) one.name = name;
    });
  drop = (id: string, number: number): Promise<unknown> =>
    this.#change(id, (kept) => (kept.chapters = kept.chapters.filter((one) => one.number !== number)));
}

export const onDevice: Shelf = new DeviceShelf();
export const isHere = (id: string): boolean => id.startsWith(HERE);
/** Return the shelf that has an analysis. */
export const shelfOf = (id: string): Shelf => (isHere(id) ? onDevice : onServer);
/** The shelf for new analyses. */
export const shelf = (): Shelf => (signedIn() ? onServer : onDevice);
