/** Sockets of the server, or of the worker that stands in for it. */
import { backend, type Socket } from "./backend";
import { language } from "../words/words";

/** Return a unique id. Without a secure context there is no `randomUUID`. */
export const freshId = (): string =>
  typeof crypto.randomUUID === "function"
    ? crypto.randomUUID()
    : [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** Return a socket's path, whose texts then come in the language of the page. */
export const spoken = (path: string): string =>
  language === "en" ? path : `${path}${path.includes("?") ? "&" : "?"}lang=${language}`;
/** Open the socket at `path`. */
export const openSocket = (path: string): Socket => backend.open(spoken(path));

/** What uses a connection. */
export interface Listener {
  /** Open a socket for it. */
  open(): Socket;
  hear(message: unknown): void;
  opened?(): void;
  /** The connection is lost, and will be opened again. */
  lost?(): void;
  /** The network or the page has come back, and the connection has not gone. */
  woken?(): void;
  /** whether a refusal is final: the path leads nowhere */
  final?: boolean;
}
/** Milliseconds until a lost connection is opened again: those of the first try, doubled at each, up to a limit. */
type Pauses = readonly [first: number, longest: number];
/** Codes with which the server closes a refused socket. */
const REFUSED = [4400, 4404];

/** A connection that is opened again when it is lost, at once when the network or the page comes back. */
export class Connection {
  #socket: Socket | null = null;
  #tries = 0;
  /** milliseconds that the server asked to wait */
  #away = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(
    private readonly listener: Listener,
    private readonly pauses: Pauses,
  ) {
    addEventListener("online", this.#wake);
    addEventListener("offline", this.#wake);
    document.addEventListener("visibilitychange", this.#wake);
    this.#open();
  }

  /** The socket, if it is open. */
  get socket(): Socket | null {
    return this.#socket?.readyState === WebSocket.OPEN ? this.#socket : null;
  }
  /** Send a message on the present connection, and return whether there is one. */
  send(message: object): boolean {
    this.socket?.send(JSON.stringify(message));
    return this.socket !== null;
  }

  #wake = (): void => {
    if (document.visibilityState !== "visible") return;
    if (this.#socket) this.listener.woken?.();
    else this.now();
  };
  /** Open a lost connection without waiting. */
  now(): void {
    if (this.#socket || this.#closed) return;
    clearTimeout(this.#retry);
    this.#open();
  }

  #open(): void {
    const socket = this.listener.open();
    this.#socket = socket;
    socket.onopen = () => this.listener.opened?.();
    socket.onmessage = (event: MessageEvent<string>) => {
      const message = JSON.parse(event.data) as { type?: string; retry?: number; id?: string };
      if (message.type !== "error") this.#tries = 0;
      else if (message.retry && !message.id) this.#away = 1000 * message.retry;
      this.listener.hear(message);
    };
    socket.onclose = (event) => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      if (!this.#closed && !(this.listener.final && REFUSED.includes(event.code))) this.#lost();
    };
  }
  #lost(): void {
    this.listener.lost?.();
    const [first, longest] = this.pauses;
    const pause = this.#away + Math.min(longest, first * 2 ** this.#tries++) * (0.75 + Math.random() / 2);
    this.#away = 0;
    this.#retry = setTimeout(() => this.#open(), pause);
  }

  /** Take the connection for lost: nothing is heard on it any more. */
  drop(): void {
    this.#leave();
    this.#lost();
  }
  /** Connect again, because the account or its seats have changed. */
  again(): void {
    this.#leave();
    clearTimeout(this.#retry);
    this.#open();
  }
  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    removeEventListener("online", this.#wake);
    removeEventListener("offline", this.#wake);
    document.removeEventListener("visibilitychange", this.#wake);
    this.#leave();
  }
  #leave(): void {
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onmessage = null;
    socket.close();
  }
}
