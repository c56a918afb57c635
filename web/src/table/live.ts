/** The connection to a table: it asks for missed events and resends commands that were not acknowledged. */
import type { Socket } from "../lib/backend";
import type { Fault, Info, Preparing, Presence, Said, Snapshot, TableEvent, TableMessage } from "../lib/types";
import type { ThinkerMessage, ThinkQuestion, ThoughtMessage } from "../lib/types";
import { Connection, freshId, openSocket } from "../lib/sockets";

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
  readonly #connection: Connection;
  #outbox = new Map<string, Command>();
  #number = -1;
  #closed = false;
  #beat: ReturnType<typeof setInterval> | undefined;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly id: string,
    private tokens: readonly string[],
    private readonly listener: Listener,
  ) {
    const use = {
      open: () => this.#open(),
      opened: () => this.#opened(),
      hear: (message: unknown) => this.#take(message as TableMessage),
      woken: () => this.#ping(HURRY),
      lost: () => {
        this.#rest();
        listener.online(false);
      },
    };
    this.#connection = new Connection(use, [250, 8000]);
  }

  #open(): Socket {
    const query = new URLSearchParams(this.tokens.map((token) => ["seat", token]));
    if (this.#number >= 0) query.set("since", String(this.#number));
    return openSocket(`/api/tables/${encodeURIComponent(this.id)}/live?${query}`);
  }
  #opened(): void {
    this.listener.online(true);
    for (const command of this.#outbox.values()) this.#connection.send(command);
    clearInterval(this.#beat);
    this.#beat = setInterval(() => this.#ping(), PING_EVERY);
  }
  /** Nothing is asked of a connection that has gone. */
  #rest(): void {
    clearInterval(this.#beat);
    clearTimeout(this.#waiting);
  }

  #ping(patience = SILENCE): void {
    if (!this.#connection.send({ type: "ping", id: freshId() })) return;
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.#connection.drop(), patience);
  }

  #take(message: TableMessage): void {
    clearTimeout(this.#waiting);
    const { listener } = this;
    if (message.type === "snapshot") {
      this.#number = message.state.number;
      listener.snapshot(message);
    } else if (message.type === "event") {
      if (message.number <= this.#number) return;
      this.#number = message.number;
      listener.event(message);
    } else if (message.type === "ack") this.#settle(message.id);
    else if (message.type === "thinking") listener.thinking(message.seat, message.info, message.preparing);
    else if (message.type === "think") listener.think(message);
    else if (message.type === "error") {
      if (message.code === "unavailable" && message.id) this.#refusedUnless(this.#connection.socket, message);
      else this.#refused(message);
    } else if (message.type === "here") listener.here(message);
    else if (message.type === "talk") listener.said([message], false);
    else if (message.type === "talked") listener.said(message.lines, true);
    // the server measures the latency, to give the time back
    else if (message.type === "ping?") this.#connection.send({ type: "pong", n: message.n });
  }
  #settle(id: string): void {
    this.#outbox.delete(id);
    this.listener.settled(id);
  }

  #refused(fault: Fault & { id?: string }): void {
    const command = fault.id ? this.#outbox.get(fault.id) : undefined;
    if (fault.id) this.#settle(fault.id);
    this.listener.refused(fault, command);
  }

  /** A server that stops says so and closes the connection: keep the command for the next connection. Refuse it only if
   * this one stays open. */
  #refusedUnless(socket: Socket | null, fault: Fault & { id?: string }): void {
    setTimeout(() => {
      if (this.#connection.socket === socket && !this.#closed) this.#refused(fault);
    }, LEAVING);
  }

  /** Send a command, keep it until the server has acknowledged or refused it, and return its id. Moves, takebacks
   * and answers name the last known event, so that the server refuses a copy that arrives late. */
  send(type: string, body: Record<string, unknown>): string {
    const known = ["act", "takeback", "answer"].includes(type) && this.#number >= 0 ? { number: this.#number } : {};
    const command: Command = { type, id: freshId(), ...known, ...body };
    this.#outbox.set(command.id, command);
    if (!this.#connection.send(command)) this.#connection.now();
    return command.id;
  }

  /** Send a message that concerns the present connection alone. */
  say(message: ThinkerMessage | ThoughtMessage): void {
    this.#connection.send(message);
  }

  /** Reconnect with other tokens, after a seat was taken or left. */
  again(tokens: readonly string[]): void {
    this.tokens = tokens;
    this.#number = -1;
    this.#rest();
    this.#connection.again();
  }

  /** Ask for all that is known now, on this connection or, if it has died, on the next one. */
  refresh = (): void => {
    this.#number = -1;
    this.#connection.send({ type: "snapshot" });
  };

  close(): void {
    this.#closed = true;
    this.#rest();
    this.#connection.close();
  }
}
