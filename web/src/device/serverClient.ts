/** Makes the page of a static site the client of a server: what needs other people is asked there, all else of this
 * device. */
import type { TableWish } from "../lib/api";
import type { Backend } from "../lib/backend";
import { isOnDevice, type ServerFault } from "../lib/device";
import { keepText, keptText } from "../storage/kept";

const SESSION = "tercet-session"; // the header of the session: browsers send no cookies from other sites
const PROTOCOL = "tercet"; // of sockets, which cannot have headers
const PATIENCE = 10_000; // ms
const PEOPLE =
  /^\/api\/(lobby|pairing|accounts|sessions?|tokens|people|ratings|challenges|messages|reports|recovery|tournaments|lab|analyses|me)\b/;
const OWN = /^\/api\/me\/(played|records)\b/;
const TABLE = /^\/api\/tables\/([^/?]+)/;
const HERE: readonly string[] = ["me", "here", "engine"];

type Answering = Pick<Backend, "fetch" | "open">;

/** Return the origin of the server that the site is a client of, or an empty text. */
export const chosenServer = (): string => keptText("server") ?? "";
export const chooseServer = (origin: string): void => void keepText("server", origin || null);

/** Return what the fragment `#server=ADDRESS` names: a server's origin, and the path of a page there. */
export function linkedServer(hash: string): { origin: string; path: string } | null {
  const [, text] = /^#server=(.+)$/.exec(hash) ?? [];
  if (text === undefined) return null;
  try {
    const address = text.includes("%3A") ? decodeURIComponent(text) : text;
    const { protocol, origin, pathname, search, hash } = new URL(
      /^https?:/.test(address) ? address : `https://${address}`,
    );
    return protocol.startsWith("http") ? { origin, path: pathname + search + hash } : null;
  } catch {
    return null;
  }
}

const socketOf = (origin: string): string => origin.replace("http", "ws");

/** Let the page reach this site and these servers alone. */
export function reachOnly(origins: readonly string[]): void {
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  const [files, sockets] = [origins.join(" "), origins.map(socketOf).join(" ")];
  policy.content = `connect-src 'self' ${files} ${sockets}; img-src 'self' data: blob: ${files}`;
  document.head.append(policy);
}

/** Return whether a server says on a socket that it does not let pages of this site in: a request learns nothing of it. */
function turnsAway(origin: string): Promise<boolean> {
  return new Promise((done) => {
    setTimeout(() => done(false), PATIENCE);
    try {
      const socket = new WebSocket(`${socketOf(origin)}/api/lobby/live`);
      socket.onclose = () => done(false);
      socket.onmessage = ({ data }: MessageEvent<string>) => {
        done(data.includes('"foreign-origin"'));
        socket.close();
      };
    } catch {
      done(false); // a page that came encrypted asks no server that is not
    }
  });
}

/** Return what prevents a site of this version from being the client of a server. */
export async function faultOf(origin: string, own: string): Promise<ServerFault | null> {
  try {
    const found = await fetch(`${origin}/health`, { credentials: "omit", signal: AbortSignal.timeout(PATIENCE) });
    const { version } = (await found.json()) as { version: string };
    const line = (of: string): string => of.split(".").slice(0, 2).join(".");
    return line(version) === line(own) ? null : { why: "otherVersion", version };
  } catch {
    return { why: (await turnsAway(origin)) ? "unnamed" : "unreachable", version: "" };
  }
}

function needsPeople(path: string): boolean {
  const table = TABLE.exec(path)?.[1];
  return table === undefined ? PEOPLE.test(path) && !OWN.test(path) : !isOnDevice(table);
}

/** Answers as the device and the server together. */
export class ServerClient implements Answering {
  constructor(
    private readonly server: string,
    private readonly device: Answering,
  ) {}

  fetch(path: string, init: RequestInit): Promise<Response> {
    const [address = ""] = path.split("?");
    if (address === "/api/tables" && typeof init.body === "string") return this.#opened(path, init, init.body);
    if (address === "/api/me/tables") return this.#tables(path, init);
    if (address === "/api/device/games") return this.device.fetch(path.replace("device", "me"), init);
    return needsPeople(path) ? this.#ask(path, init) : this.device.fetch(path, init);
  }

  open(path: string): ReturnType<Backend["open"]> {
    if (!needsPeople(path)) return this.device.open(path);
    const session = keptText("session", this.server);
    return new WebSocket(socketOf(this.server) + path, [PROTOCOL, ...(session ? [`${PROTOCOL}.${session}`] : [])]);
  }

  async #ask(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    const session = keptText("session", this.server);
    if (session) headers.set(SESSION, session);
    const found = await fetch(this.server + path, { ...init, headers, credentials: "omit" });
    const given = found.headers.get(SESSION);
    if (given !== null) keepText("session", given || null, this.server);
    return found;
  }

  /** Open a table on the server if it is for other people, or begins with a game there. */
  async #opened(path: string, init: RequestInit, body: string): Promise<Response> {
    const { id, ...wish } = JSON.parse(body) as TableWish & { id?: string };
    const here = { ...init, body: JSON.stringify(wish) };
    const others = wish.rated || wish.seats.some(({ kind }) => !HERE.includes(kind));
    if (wish.table != null && !isOnDevice(wish.table)) return this.#ask(path, init);
    if (!others) return this.device.fetch(path, here);
    if (wish.table == null) return this.#ask(path, init);
    const found = await this.device.fetch(`/api/tables/${wish.table}/record`, {});
    if (!found.ok) return found;
    const whole = { ...wish, id, table: undefined, record: await found.text() };
    return this.#ask("/api/tables", { ...init, body: JSON.stringify(whole) });
  }

  /** Return the games in progress, here and there. */
  async #tables(path: string, init: RequestInit): Promise<Response> {
    const [there, here] = await Promise.all([this.#ask(path, init).catch(() => null), this.device.fetch(path, init)]);
    if (!there?.ok || !here.ok) return here;
    const [theirs, own] = (await Promise.all([there.json(), here.json()])) as { tables: unknown[] }[];
    return Response.json({ ...theirs, tables: [...(theirs?.tables ?? []), ...(own?.tables ?? [])] });
  }
}
