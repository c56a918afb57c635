/** A value that the server sends whenever it changes. */
import { Connection, openSocket } from "./sockets";

export class Feed<T> {
  now: T | null = $state.raw(null);
  online = $state(true);
  readonly #connection: Connection;

  /** `read` extracts the value from a message, or returns null if there is none. */
  constructor(path: string, read: (message: unknown) => T | null) {
    const listener = {
      open: () => openSocket(path),
      final: true,
      opened: () => (this.online = true),
      lost: () => (this.online = false),
      hear: (message: unknown) => (this.now = read(message) ?? this.now),
    };
    this.#connection = new Connection(listener, [500, 15_000]);
  }

  /** Reconnect, because the account has changed. */
  again(): void {
    this.#connection.again();
  }
  close(): void {
    this.#connection.close();
  }
}
