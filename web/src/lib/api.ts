import { backend, fileAt, type Backend } from "./backend";
import { freshId } from "./freshId";
import { seatTokens } from "./seats";
import type {
  Analysed,
  DialComparison,
  DialLots,
  Fault,
  Findings,
  FirstGameData,
  AdviceData,
  GameData,
  GameLessons,
  GameStudies,
  HintData,
  LessonData,
  OpenedTable,
  PastPosition,
  Politics,
  PresetPicture,
  Preview,
  PuzzleAnswer,
  PuzzleData,
  PuzzleDays,
  PuzzleRun,
  PuzzleThemes,
  Reached,
  RecordData,
  RulesData,
  StepSolution,
  TryAnswer,
} from "./types";
import { language, t } from "../words/words";

/** Moves with comments; `after` is the number of the move before. */
export interface TreeToWrite extends Start {
  moves: { after: number; text: string; comment: string; signs: string }[];
  comment?: string;
  headers?: Record<string, string>;
}

/** For each lot of games, the means of the players' points, of draws and of actions. */
export type Lots = readonly (readonly number[])[];
/** Lots of games from number `first` on; `level` 0 plays at random. */
export interface LotsToPlay {
  game: string;
  options: Record<string, unknown>;
  level: number;
  seed: number;
  first: number;
  lots: number;
}

/** An error of the server: a code and a place for programs, and a sentence. */
export class ServerError extends Error {
  code: string;
  where: string;
  constructor(fault: Pick<Fault, "code" | "why"> & Partial<Fault>) {
    super(fault.why || t("common.failed"));
    this.code = fault.code;
    this.where = fault.where ?? "";
  }
}

export async function answer(response: Response): Promise<unknown> {
  const text = await response.text();
  let body: unknown;
  try {
    body = text ? JSON.parse(text) : null;
  } catch {
    throw new ServerError({ code: "unavailable", why: t("server.unreadable") });
  }
  if (response.ok) return body;
  const fault = (body as { error?: Fault } | null)?.error;
  throw new ServerError(fault ?? { code: "unavailable", why: t("server.answered", { status: response.status }) });
}

/** Who answers requests. */
export type Answering = Pick<Backend, "fetch">;

export async function reach(path: string, init?: RequestInit, by: Answering = backend): Promise<Response> {
  try {
    return await by.fetch(path, { ...init, headers: { "accept-language": language, ...init?.headers } });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    if (error instanceof DOMException && error.name === "TimeoutError")
      throw new ServerError({ code: "unavailable", why: t("server.slow") });
    throw new ServerError({ code: "unavailable", why: t("common.noServer") });
  }
}

const EXPLORING = 30_000; // ms; the server gives up sooner

const get = async (path: string): Promise<unknown> => answer(await reach(path));

async function textOf(path: string): Promise<string> {
  const response = await reach(path);
  if (!response.ok) await answer(response);
  return response.text();
}

const send = async (
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  by?: Answering,
): Promise<unknown> => {
  const sent =
    body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return answer(await reach(path, { method, ...sent, signal: signal ?? null }, by));
};
const post = (path: string, body: unknown, signal?: AbortSignal): Promise<unknown> => send("POST", path, body, signal);

export const ask = { get, post, send };
export const reason = (error: unknown, otherwise: string): string =>
  error instanceof Error ? error.message : otherwise;
export const query = (given: Record<string, string | number | null | undefined>): string => {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value != null && value !== "") found.set(name, String(value));
  const text = found.toString();
  return text && `?${text}`;
};

export interface SeatWish {
  kind: "me" | "here" | "friend" | "open" | "engine" | "bot";
  level?: number;
  name?: string;
  handle?: string;
}
export interface TableWish {
  game?: string;
  options?: Record<string, unknown>;
  seats: SeatWish[];
  position?: string;
  record?: string;
  ply?: number;
  seed?: number;
  takebacks?: boolean | string;
  confirm?: boolean;
  chat?: boolean;
  explore?: boolean;
  clock?: Record<string, unknown>;
  watch?: string;
  rated?: boolean;
  gone?: { after: number; then: string[]; level?: number } | null;
  /** start from a position of that table */
  table?: string;
}
export interface Start {
  game?: string;
  options?: Record<string, unknown>;
  position?: string;
  record?: string;
}

/** The query that carries this browser's seat tokens for a table. */
function held(table: string): string {
  const tokens = seatTokens(table).slice(0, 8);
  return tokens.length ? `?${new URLSearchParams(tokens.map((token) => ["seat", token]))}` : "";
}

const lessonPath = (game: string, id: string): string =>
  `/api/lessons/${encodeURIComponent(game)}/${encodeURIComponent(id)}`;

let games: Promise<GameData[]> | null = null;
const rules = new Map<string, Promise<RulesData>>();
const pictures = new Map<string, Promise<PresetPicture[]>>();
const previews = new Map<string, Promise<Preview>>();

/** By what is asked for: the id of a request whose answer has not come. With the same id it gets the same answer. */
const unanswered: Record<string, string | undefined> = {};
async function postOnce<T>(path: string, body: object = {}): Promise<T> {
  const asked = path + JSON.stringify(body);
  const id = (unanswered[asked] ??= freshId());
  const answer = await post(path, { ...body, id });
  unanswered[asked] = undefined;
  return answer as T;
}

export const api = {
  games(): Promise<GameData[]> {
    games ??= get("/api/games") as Promise<GameData[]>;
    games.catch(() => (games = null));
    return games;
  },
  /** The boards of the game's presets. */
  presets(game: string): Promise<PresetPicture[]> {
    let found = pictures.get(game);
    if (!found) {
      found = get(`/api/presets/${encodeURIComponent(game)}`) as Promise<PresetPicture[]>;
      found.catch(() => pictures.delete(game));
      pictures.set(game, found);
    }
    return found;
  },
  rules(game: string, skin = ""): Promise<RulesData> {
    const address = `/api/rules/${encodeURIComponent(game)}${skin ? `?skin=${encodeURIComponent(skin)}` : ""}`;
    let found = rules.get(address);
    if (!found) {
      found = get(address) as Promise<RulesData>;
      found.catch(() => rules.delete(address));
      rules.set(address, found);
    }
    return found;
  },
  /** What the studies of each game have found. */
  laboratory: () => get("/api/lab") as Promise<GameStudies[]>,
  lessons: () => get("/api/lessons") as Promise<GameLessons[]>,
  lesson: (game: string, id: string) => get(lessonPath(game, id)) as Promise<LessonData>,
  /** Return what `actions` lead to in a step, after `moves` of all players. */
  tryStep: (game: string, id: string, step: number, moves: readonly string[], actions: readonly string[]) =>
    post(`${lessonPath(game, id)}/${step}/try`, { moves, actions }) as Promise<TryAnswer>,
  solution: (game: string, id: string, step: number) =>
    get(`${lessonPath(game, id)}/${step}/solution`) as Promise<StepSolution>,
  puzzles: () => get("/api/puzzles") as Promise<PuzzleThemes>,
  /** That of a day (as 2026-11-25); today's without one. */
  dailyPuzzle: (game: string, day = "") => get(`/api/puzzles/daily${query({ game, day })}`) as Promise<PuzzleData>,
  /** The daily puzzles of the month of a day; of this one without. */
  puzzleDays: (month = "") => get(`/api/puzzles/days${query({ month })}`) as Promise<PuzzleDays>,
  puzzleRun: (game: string) => get(`/api/puzzles/run${query({ game })}`) as Promise<PuzzleRun>,
  puzzle: (id: string) => get(`/api/puzzles/${encodeURIComponent(id)}`) as Promise<PuzzleData>,
  /** A puzzle with all these tags and a rating between these bounds. */
  nextPuzzle(game: string, tags: readonly string[], low: number, high: number, repeat: boolean): Promise<PuzzleData> {
    const asked = new URLSearchParams({ game, low: String(low), high: String(high), repeat: String(repeat) });
    for (const tag of tags) asked.append("tag", tag);
    return get(`/api/puzzles/next?${asked}`) as Promise<PuzzleData>;
  },
  tryPuzzle: (id: string, moves: readonly string[], actions: readonly string[], run: boolean) =>
    post(`/api/puzzles/${encodeURIComponent(id)}/try`, { moves, actions, run }) as Promise<PuzzleAnswer>,
  solvePuzzle: (id: string, run: boolean) =>
    post(`/api/puzzles/${encodeURIComponent(id)}/solution`, { run }) as Promise<PuzzleAnswer>,
  advice: (position: string, player: number) => post("/api/advice", { position, player }) as Promise<AdviceData>,
  /** Return the next idea to show a newcomer after `moves` from a position, leaving out those already `seen`. */
  firstGame: (position: string, moves: readonly string[], seen: readonly string[]) =>
    post("/api/first-game", { position, moves, seen }) as Promise<FirstGameData>,
  /** The start of a game with these options, or a position of it, and what moves change there; cached. */
  preview(
    game: string,
    options: Record<string, unknown>,
    seed: number,
    position = "",
    moves: readonly string[] = [],
  ): Promise<Preview> {
    const body = { game, options, seed, ...(position ? { position } : {}), ...(moves.length ? { moves } : {}) };
    const key = JSON.stringify(body);
    let found = previews.get(key);
    if (!found) {
      found = post("/api/preview", body) as Promise<Preview>;
      found.catch(() => previews.delete(key));
      previews.set(key, found);
    }
    return found;
  },
  newTable(wish: TableWish): Promise<OpenedTable> {
    const path = `/api/tables${wish.table ? held(wish.table) : ""}`;
    return backend.people ? postOnce(path, wish) : (post(path, wish) as Promise<OpenedTable>);
  },
  analyse: (start: Start, moves: string[], signal?: AbortSignal) =>
    post("/api/analyse", { ...start, moves }, signal) as Promise<Analysed>,
  /** The position after moves from another one, without the board, which the caller already has. */
  reach: (position: string, moves: string[]) => post("/api/position", { position, moves }) as Promise<Reached>,
  explore: (position: string, id: string, cell?: string) =>
    post(
      "/api/explore",
      cell === undefined ? { position, id } : { position, id, cell },
      AbortSignal.timeout(EXPLORING),
    ) as Promise<Findings>,
  /** Return why an action that these steps would enter is illegal. */
  why: (position: string, steps: readonly string[]) =>
    post("/api/why", { position, steps }) as Promise<{ legal: boolean; why: string | null }>,
  /** What each decision of a game of three did, and how its players decided. */
  politics: (decisions: readonly { mover: number; scores: Record<string, readonly number[]>; played: string }[]) =>
    post("/api/politics", { decisions }) as Promise<Politics>,
  /** Play lots of games of one set of options. */
  dial: (ask: LotsToPlay, signal: AbortSignal, by: Answering) =>
    send("POST", "/api/dial", ask, signal, by) as Promise<DialLots>,
  /** Return what changes between the lots of two sets of options. */
  compareDial: (usual: Lots, changed: Lots, games: number, by: Answering) =>
    send("POST", "/api/dial/compare", { usual, changed, games }, undefined, by) as Promise<DialComparison>,
  /** A hint for the player to move, in games against engines. */
  hint: (table: string, strength: string, moves: readonly string[]) =>
    post(`/api/tables/${encodeURIComponent(table)}/hint${held(table)}`, { strength, moves }) as Promise<HintData>,
  /** The game after `ply` actions. */
  at: (table: string, ply: number) =>
    get(`/api/tables/${encodeURIComponent(table)}/at/${ply}${held(table)}`) as Promise<PastPosition>,
  /** The address of a finished game as an animated picture. */
  animation: (table: string) => fileAt(`/api/pictures/table/${encodeURIComponent(table)}.gif${held(table)}`),
  record: (text: string) => post("/api/record", { text }) as Promise<RecordData>,
  /** Return a tree of moves as a record. */
  writeRecord: (tree: TreeToWrite) => post("/api/record/write", tree) as Promise<{ record: string }>,
  /** Take an open seat. */
  sit: (table: string, seat: number) =>
    postOnce<{ token: string | null; id: string }>(
      `/api/tables/${encodeURIComponent(table)}/seats/${seat}${held(table)}`,
    ),
  stand: (table: string, seat: number) =>
    send("DELETE", `/api/tables/${encodeURIComponent(table)}/seats/${seat}${held(table)}`),
  /** Replace the link to a seat. */
  newLink: (table: string, seat: number) =>
    postOnce<{ link: string }>(`/api/tables/${encodeURIComponent(table)}/seats/${seat}/link${held(table)}`),
  /** The record of a table's game in a `form`; `standing` leaves out turns that were taken back. */
  async tableRecord(id: string, form?: string, standing = false): Promise<string> {
    const query = new URLSearchParams(held(id));
    if (standing) query.set("retracted", "false");
    if (form !== undefined) query.set("form", form);
    return textOf(`/api/tables/${encodeURIComponent(id)}/record${query.size ? `?${query}` : ""}`);
  },
  /** The record of a game from a file, stored on this device. */
  loadedRecord: (id: string) => textOf(`/api/me/records/${encodeURIComponent(id)}`),
};
