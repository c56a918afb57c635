import { backend, fileAt, type Backend } from "./backend";
import { freshId } from "./freshId";
import type { Requests } from "./protocol.generated";
import { seatTokens } from "./seats";
import type { Fault, GameData, PresetPicture, Preview, RulesData } from "./types";
import { language, t } from "../words/words";

/** A value that is only read. What has any names, such as the options of a game, has any values. */
type Read<T> = T extends (infer One)[]
  ? readonly Read<One>[]
  : T extends object
    ? string extends keyof T
      ? Readonly<Record<string, unknown>>
      : { readonly [K in keyof T]: Read<T[K]> }
    : T;
/** An address, such as `POST /api/why`; what is given there, and what is answered. */
type Asked = keyof Requests;
type Given<A extends Asked> = Read<Requests[A]["given"]>;
type Answer<A extends Asked> = Requests[A]["answer"];

/** Moves with comments; `after` is the number of the move before. */
export type TreeToWrite = Given<"POST /api/record/write">;
export type Start = Pick<Given<"POST /api/analyse">, "game" | "options" | "position" | "record">;
export type TableWish = Given<"POST /api/tables">;
export type SeatWish = TableWish["seats"][number];
/** Lots of games from number `first` on; `level` 0 plays at random. */
export type LotsToPlay = Given<"POST /api/dial">;
export type HintStrength = Given<"POST /api/hint">["strength"];
/** For each lot of games, the means of the players' points, of draws and of actions. */
export type Lots = Given<"POST /api/dial/compare">["usual"];

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
export const query = (given: Record<string, unknown>): string => {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(given))
    for (const one of Array.isArray(value) ? value : [value])
      if (one != null && one !== "") found.append(name, String(one));
  const text = found.toString();
  return text && `?${text}`;
};

interface How {
  signal?: AbortSignal;
  by?: Answering;
  /** the table whose tokens of seats that this browser has are sent too */
  seats?: string | null | undefined;
}
/** The method and the path of a request, and what of `given` goes into neither its path nor its query. */
function written(asked: string, given: object, { seats }: How = {}): { method: string; path: string; body: object } {
  const [method = "", pattern = ""] = asked.split(" ");
  const fields = new Map<string, unknown>(Object.entries(given));
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => {
    const part = String(fields.get(name));
    fields.delete(name);
    return encodeURIComponent(part);
  });
  const body = Object.fromEntries(fields);
  const seat = seats ? seatTokens(seats).slice(0, 8) : [];
  return { method, path: path + query(method === "GET" ? { ...body, seat } : { seat }), body };
}
/** Ask at an address: what its path does not name goes into the query or the body. */
async function call<A extends Asked>(asked: A, given: Given<A>, how: How = {}): Promise<Answer<A>> {
  const { method, path, body } = written(asked, given, how);
  return (await send(method, path, method === "POST" ? body : undefined, how.signal, how.by)) as Answer<A>;
}

/** By what is asked for: the id of a request whose answer has not come. With the same id it gets the same answer. */
const unanswered: Record<string, string | undefined> = {};
async function callOnce<A extends Asked>(asked: A, given: Given<A>, how?: How): Promise<Answer<A>> {
  const key = asked + JSON.stringify(given);
  const id = (unanswered[key] ??= freshId());
  const answer = await call(asked, { ...given, id }, how);
  unanswered[key] = undefined;
  return answer;
}

/** By what is asked for: answers that stay the same. */
const kept = new Map<string, Promise<unknown>>();
function callKept<A extends Asked>(asked: A, given: Given<A>): Promise<Answer<A>> {
  const key = asked + JSON.stringify(given);
  let found = kept.get(key) as Promise<Answer<A>> | undefined;
  if (!found) {
    found = call(asked, given);
    found.catch(() => kept.delete(key));
    kept.set(key, found);
  }
  return found;
}

export const api = {
  games: (): Promise<GameData[]> => callKept("GET /api/games", {}),
  /** The boards of the game's presets. */
  presets: (game: string): Promise<PresetPicture[]> => callKept("GET /api/presets/{game}", { game }),
  rules: (game: string, skin = ""): Promise<RulesData> => callKept("GET /api/rules/{game}", { game, skin }),
  /** What the studies of each game have found. */
  laboratory: () => call("GET /api/lab", {}),
  lessons: () => call("GET /api/lessons", {}),
  lesson: (game: string, lesson: string) => call("GET /api/lessons/{game}/{lesson}", { game, lesson }),
  /** Return what `actions` lead to in a step, after `moves` of all players. */
  tryStep: (game: string, lesson: string, step: number, moves: readonly string[], actions: readonly string[]) =>
    call("POST /api/lessons/{game}/{lesson}/{step}/try", { game, lesson, step, moves, actions }),
  solution: (game: string, lesson: string, step: number) =>
    call("GET /api/lessons/{game}/{lesson}/{step}/solution", { game, lesson, step }),
  puzzles: () => call("GET /api/puzzles", {}),
  /** That of a day (as 2026-11-25); today's without one. */
  dailyPuzzle: (game: string, day = "") => call("GET /api/puzzles/daily", { game, day }),
  /** The daily puzzles of the month of a day; of this one without. */
  puzzleDays: (month = "") => call("GET /api/puzzles/days", { month }),
  puzzleRun: (game: string) => call("GET /api/puzzles/run", { game }),
  puzzle: (ident: string) => call("GET /api/puzzles/{ident}", { ident }),
  /** A puzzle with all these tags and a rating between these bounds. */
  nextPuzzle: (game: string, tag: readonly string[], low: number, high: number, repeat: boolean) =>
    call("GET /api/puzzles/next", { game, low, high, repeat, tag }),
  tryPuzzle: (ident: string, moves: readonly string[], actions: readonly string[], run: boolean) =>
    call("POST /api/puzzles/{ident}/try", { ident, moves, actions, run }),
  solvePuzzle: (ident: string, run: boolean) => call("POST /api/puzzles/{ident}/solution", { ident, run }),
  advice: (position: string, player: number) => call("POST /api/advice", { position, player }),
  /** Return the next idea to show a newcomer after `moves` from a position, leaving out those already `seen`. */
  firstGame: (position: string, moves: readonly string[], seen: readonly string[]) =>
    call("POST /api/first-game", { position, moves, seen }),
  /** The start of a game with these options, or a position of it, and what moves change there. */
  preview: (
    game: string,
    options: NonNullable<Start["options"]>,
    seed: number,
    position = "",
    moves: readonly string[] = [],
  ): Promise<Preview> =>
    callKept("POST /api/preview", {
      game,
      options,
      seed,
      ...(position && { position }),
      ...(moves.length && { moves }),
    }),
  newTable: (wish: TableWish) => (backend.people ? callOnce : call)("POST /api/tables", wish, { seats: wish.table }),
  analyse: (start: Start, moves: readonly string[], signal?: AbortSignal) =>
    call("POST /api/analyse", { ...start, moves }, signal && { signal }),
  /** The position after moves from another one, without the board, which the caller already has. */
  reach: (position: string, moves: readonly string[]) => call("POST /api/position", { position, moves }),
  explore: (position: string, id: string, cell?: string) =>
    call("POST /api/explore", { position, id, cell }, { signal: AbortSignal.timeout(EXPLORING) }),
  /** Return why an action that these steps would enter is illegal. */
  why: (position: string, steps: readonly string[]) => call("POST /api/why", { position, steps }),
  /** What each decision of a game of three did, and how its players decided. */
  politics: (decisions: Given<"POST /api/politics">["decisions"]) => call("POST /api/politics", { decisions }),
  /** Play lots of games of one set of options. */
  dial: (lots: LotsToPlay, signal: AbortSignal, by: Answering) => call("POST /api/dial", lots, { signal, by }),
  /** Return what changes between the lots of two sets of options. */
  compareDial: (usual: Lots, changed: Lots, games: number, by: Answering) =>
    call("POST /api/dial/compare", { usual, changed, games }, { by }),
  /** A hint for the player to move, in games against engines. */
  hint: (table_id: string, strength: HintStrength, moves: readonly string[]) =>
    call("POST /api/tables/{table_id}/hint", { table_id, strength, moves }, { seats: table_id }),
  /** The game after `ply` actions. */
  at: (table_id: string, ply: number) =>
    call("GET /api/tables/{table_id}/at/{ply}", { table_id, ply }, { seats: table_id }),
  /** The address of a finished game as an animated picture. */
  animation: (table_id: string) =>
    fileAt(written("GET /api/pictures/table/{table_id}.gif", { table_id }, { seats: table_id }).path),
  record: (text: string) => call("POST /api/record", { text }),
  /** Return a tree of moves as a record. */
  writeRecord: (tree: TreeToWrite) => call("POST /api/record/write", tree),
  /** Take an open seat. */
  sit: (table_id: string, seat: number) =>
    callOnce("POST /api/tables/{table_id}/seats/{seat}", { table_id, seat }, { seats: table_id }),
  stand: (table_id: string, seat: number) =>
    call("DELETE /api/tables/{table_id}/seats/{seat}", { table_id, seat }, { seats: table_id }),
  /** Replace the link to a seat. */
  newLink: (table_id: string, seat: number) =>
    callOnce("POST /api/tables/{table_id}/seats/{seat}/link", { table_id, seat }, { seats: table_id }),
  /** The record of a table's game in a `form`; `standing` leaves out turns that were taken back. */
  tableRecord: (table_id: string, form?: string, standing = false): Promise<string> =>
    textOf(
      written(
        "GET /api/tables/{table_id}/record",
        { table_id, form, retracted: standing ? false : undefined },
        { seats: table_id },
      ).path,
    ),
  /** The record of a game from a file, stored on this device. */
  loadedRecord: (ident: string) => textOf(written("GET /api/me/records/{ident}", { ident }).path),
};
