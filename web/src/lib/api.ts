import { wordsOf } from "./announce.svelte";
import { backend, type Backend } from "./backend";
import type { Requests } from "./protocol.generated";
import { seatTokens } from "./seats";
import { freshId } from "./sockets";
import type { Fault, GameData, Preview, RulesData } from "./types";
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
export type Given<A extends Asked> = Read<Requests[A]["given"]>;
type Answer<A extends Asked> = Requests[A]["answer"];

export type Start = Pick<Given<"POST /api/analyse">, "game" | "options" | "position" | "record">;
export type TableWish = Given<"POST /api/tables">;
export type SeatWish = TableWish["seats"][number];
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

let awaited = 0;
/** Count the answers that the page waits for; app.css says so. */
function wait(by: number): void {
  awaited += by;
  globalThis.document?.body.toggleAttribute("data-waits", awaited > 0);
}

/** `quiet`: what the page asks for by itself, from time to time */
export async function reach(
  path: string,
  { quiet = false, ...init }: RequestInit & { quiet?: boolean } = {},
  by: Answering = backend,
): Promise<Response> {
  const waits = !quiet && (init.method ?? "GET") === "GET";
  if (waits) wait(1);
  try {
    return await by.fetch(path, { ...init, headers: { "accept-language": language, ...init.headers } });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    if (error instanceof DOMException && error.name === "TimeoutError")
      throw new ServerError({ code: "unavailable", why: t("server.slow") });
    throw new ServerError({ code: "unavailable", why: t("common.noServer") });
  } finally {
    if (waits) wait(-1);
  }
}

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
  quiet?: boolean;
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
export async function ask<A extends Asked>(asked: A, given: Given<A>, how: How = {}): Promise<Answer<A>> {
  const { method, path, body } = written(asked, given, how);
  const sends = method !== "GET" && (method !== "DELETE" || Object.keys(body).length > 0);
  const sent = sends && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const asks = { method, ...sent, signal: how.signal ?? null, quiet: how.quiet ?? false };
  return (await answer(await reach(path, asks, how.by))) as Answer<A>;
}

/** Take an answer when it comes, or in words why there is none; without `fail`, the page goes on as it is. */
export function whenAnswered<T>(
  asked: Promise<T>,
  take: (answer: T) => void,
  fail: (why: string) => void = () => undefined,
): void {
  asked.then(take, (error: unknown) => fail(wordsOf(error)));
}

/** By what is asked for: the id of a request whose answer has not come. With the same id it gets the same answer. */
const unanswered: Record<string, string | undefined> = {};
export async function askOnce<A extends Asked>(asked: A, given: Given<A>, how?: How): Promise<Answer<A>> {
  const key = asked + JSON.stringify(given);
  const id = (unanswered[key] ??= freshId());
  const answer = await ask(asked, { ...given, id }, how);
  unanswered[key] = undefined;
  return answer;
}

/** By what is asked for: answers that stay the same. */
const kept = new Map<string, Promise<unknown>>();
export function askKept<A extends Asked>(asked: A, given: Given<A>): Promise<Answer<A>> {
  const key = asked + JSON.stringify(given);
  let found = kept.get(key) as Promise<Answer<A>> | undefined;
  if (!found) {
    found = ask(asked, given);
    found.catch(() => kept.delete(key));
    kept.set(key, found);
  }
  return found;
}

/** Return the path of a file that is asked for, with its query. */
export const pathOf = <A extends Asked>(asked: A, given: Given<A>, how?: How): string =>
  written(asked, given, how).path;
export async function textAt(path: string): Promise<string> {
  const response = await reach(path);
  if (!response.ok) await answer(response);
  return response.text();
}

const EXPLORING = 30_000; // ms; the server gives up sooner

/** What several parts of the page ask for. */
export const api = {
  games: (): Promise<GameData[]> => askKept("GET /api/games", {}),
  rules: (game: string, skin = ""): Promise<RulesData> => askKept("GET /api/rules/{game}", { game, skin }),
  /** The start of a game with these options, or a position of it, and what moves change there. */
  preview: (
    game: string,
    options: NonNullable<Start["options"]>,
    seed: number,
    position = "",
    moves: readonly string[] = [],
  ): Promise<Preview> =>
    askKept("POST /api/preview", {
      game,
      options,
      seed,
      ...(position && { position }),
      ...(moves.length && { moves }),
    }),
  analyse: (start: Start, moves: readonly string[], signal?: AbortSignal) =>
    ask("POST /api/analyse", { ...start, moves }, signal && { signal }),
  /** The position after moves from another one, without the board, which the caller already has. */
  reach: (position: string, moves: readonly string[]) => ask("POST /api/position", { position, moves }),
  explore: (position: string, id: string, cell?: string) =>
    ask("POST /api/explore", { position, id, cell }, { signal: AbortSignal.timeout(EXPLORING) }),
  /** The game after `ply` actions. */
  at: (table_id: string, ply: number) =>
    ask("GET /api/tables/{table_id}/at/{ply}", { table_id, ply }, { seats: table_id }),
  /** Take an open seat. */
  sit: (table_id: string, seat: number) =>
    askOnce("POST /api/tables/{table_id}/seats/{seat}", { table_id, seat }, { seats: table_id }),
  /** The record of a table's game in a `form`; `standing` leaves out turns that were taken back. */
  tableRecord(table_id: string, form?: string, standing = false): Promise<string> {
    const given = { table_id, form, retracted: standing ? false : undefined };
    return textAt(pathOf("GET /api/tables/{table_id}/record", given, { seats: table_id }));
  },
};
