/** The socket of a table: it reconnects, asks for missed events and resends commands that were not acknowledged. */
import { freshId } from "../lib/freshId";
import type { Fault, Info, Preparing, Presence, Said, Snapshot, TableEvent, TableMessage } from "../lib/types";
import type { ThinkerMessage, ThinkQuestion, ThoughtMessage } from "../lib/protocol.generated";
import { openSocket } from "../lib/sockets";
import type { Socket } from "../lib/backend";

type Command = { type: string; id: string } & Record<string, unknown>;

export interface Listener {
  snapshot(message: Snapshot): void;
  event(message: TableEvent): void;
  /** `preparing` while the engine's code is being compiled */
  thinking(seat: number, info: Info, preparing: Preparing | null): void;
  /** This device is to think for an engine. */
  think(question: ThinkQuestion): void;
  here(presence: Presence): void;
  /** With `all`, the lines replace those known so far. */
  said(lines: readonly Said[], all: boolean): void;
  refused(fault: Fault, command: Command | undefined): void;
  online(is: boolean): void;
  /** The server has acknowledged or refused the command. */
  settled(id: string): void;
}

const PING_EVERY = 20_000;
const SILENCE = 12_000;
/** milliseconds to wait for an answer after the network has changed */
const HURRY = 4000;
/** milliseconds in which a server that is stopping closes the connection; the command is then sent on the next one */
const LEAVING = 3000;

export class Live {
  #socket: Socket | null = null;
  #outbox = new Map<string, Command>();
  #number = -1;
  #tries = 0;
  /** milliseconds that the server asked to wait */
  #away = 0;
  #closed = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #beat: ReturnType<typeof setInterval> | undefined;
  #waiting: ReturnType<typeof setTimeout> | undefined;
  readonly #id: string;
  #tokens: readonly string[];
  readonly #listener: Listener;

  constructor(id: string, tokens: readonly string[], listener: Listener) {
    this.#id = id;
    this.#tokens = tokens;
    this.#listener = listener;
    addEventListener("online", this.#woken);
    addEventListener("offline", this.#woken);
    document.addEventListener("visibilitychange", this.#woken);
    this.#open();
  }

  #now = (): void => {
    if (this.#socket || this.#closed) return;
    clearTimeout(this.#retry);
    this.#open();
  };
  #woken = (): void => {
    if (document.visibilityState !== "visible") return;
    if (this.#socket) this.#ping(HURRY);
    else this.#now();
  };

  #open(): void {
    const query = new URLSearchParams(this.#tokens.map((token) => ["seat", token]));
    if (this.#number >= 0) query.set("since", String(this.#number));
    const socket = openSocket(`/api/tables/${encodeURIComponent(this.#id)}/live?${query}`);
    this.#socket = socket;
    socket.onopen = () => {
      this.#tries = 0;
      this.#listener.online(true);
      for (const command of this.#outbox.values()) socket.send(JSON.stringify(command));
      clearInterval(this.#beat);
      this.#beat = setInterval(() => this.#ping(), PING_EVERY);
    };
    socket.onmessage = (message: MessageEvent<string>) => this.#take(JSON.parse(message.data) as TableMessage);
    socket.onclose = () => this.#lost(socket);
  }

  #lost(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    clearInterval(this.#beat);
    clearTimeout(this.#waiting);
    if (this.#closed) return;
    this.#listener.online(false);
    const pause = this.#away + Math.min(8000, 250 * 2 ** this.#tries++) * (0.75 + Math.random() / 2);
    this.#away = 0;
    this.#retry = setTimeout(() => this.#open(), pause);
  }

  #ping(patience = SILENCE): void {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.send(JSON.stringify({ type: "ping", id: freshId() }));
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => {
      socket.onclose = null;
      socket.close();
      this.#lost(socket);
    }, patience);
  }

  #take(message: TableMessage): void {
    clearTimeout(this.#waiting);
    switch (message.type) {
      case "snapshot":
        this.#number = message.state.number;
        this.#listener.snapshot(message);
        break;
      case "event":
        if (message.number <= this.#number) break;
        this.#number = message.number;
        this.#listener.event(message);
        break;
      case "ack":
        this.#outbox.delete(message.id);
        this.#listener.settled(message.id);
        break;
      case "thinking":
        this.#listener.thinking(message.seat, message.info, message.preparing);
        break;
      case "think":
        this.#listener.think(message);
        break;
      case "error":
        if (message.retry && !message.id) this.#away = 1000 * message.retry;
        if (message.code === "unavailable" && message.id) this.#refusedUnless(this.#socket, message);
        else this.#refused(message);
        break;
      case "ping?": // the server measures the latency, to give the time back
        this.#socket?.send(JSON.stringify({ type: "pong", n: message.n }));
        break;
      case "here":
        this.#listener.here(message);
        break;
      case "talk":
        this.#listener.said([message], false);
        break;
      case "talked":
        this.#listener.said(message.lines, true);
        break;
      case "pong":
        break;
    }
  }

  #refused(fault: Fault & { id?: string }): void {
    const command = fault.id ? this.#outbox.get(fault.id) : undefined;
    if (fault.id) {
      this.#outbox.delete(fault.id);
      this.#listener.settled(fault.id);
    }
    this.#listener.refused(fault, command);
  }

  /** A server that stops says so and closes the connection: keep the command for the next connection. Refuse it only if
   * this one stays open. */
  #refusedUnless(socket: Socket | null, fault: Fault & { id?: string }): void {
    setTimeout(() => {
      if (this.#socket === socket && !this.#closed) this.#refused(fault);
    }, LEAVING);
  }

  /** Send a command, keep it until the server has acknowledged or refused it, and return its id. Moves, takebacks
   * and answers name the last known event, so that the server refuses a copy that arrives late. */
  send(type: string, body: Record<string, unknown>): string {
    const known = ["act", "takeback", "answer"].includes(type) && this.#number >= 0 ? { number: this.#number } : {};
    const command: Command = { type, id: freshId(), ...known, ...body };
    this.#outbox.set(command.id, command);
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(command));
    else this.#now();
    return command.id;
  }

  /** Send a message that concerns the present connection alone. */
  say(message: ThinkerMessage | ThoughtMessage): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Reconnect with other tokens, after a seat was taken or left. */
  again(tokens: readonly string[]): void {
    const socket = this.#socket;
    this.#tokens = tokens;
    this.#number = -1;
    this.#socket = null;
    clearInterval(this.#beat);
    clearTimeout(this.#waiting);
    clearTimeout(this.#retry);
    if (socket) {
      socket.onclose = socket.onmessage = null;
      socket.close();
    }
    this.#open();
  }

  /** Ask for all that is known now, on this connection or, if it has died, on the next one. */
  look = (): void => {
    this.#number = -1;
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type: "snapshot" }));
  };

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#waiting);
    clearInterval(this.#beat);
    removeEventListener("online", this.#woken);
    removeEventListener("offline", this.#woken);
    document.removeEventListener("visibilitychange", this.#woken);
    this.#socket?.close();
    this.#socket = null;
  }
}
