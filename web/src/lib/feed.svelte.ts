/** A socket that pushes one value whenever it changes, and reconnects. */
import { openSocket } from "./sockets";
import type { Socket } from "./backend";
export class Feed<T> {
  now: T | null = $state.raw(null);
  online = $state(true);
  #path: string;
  #socket: Socket | null = null;
  #tries = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  /** `read` extracts the value from a message, or returns null if there is none. */
  constructor(
    path: string,
    private read: (message: unknown) => T | null = (message) => message as T,
  ) {
    this.#path = path;
    addEventListener("online", this.#wake);
    document.addEventListener("visibilitychange", this.#wake);
    this.#open();
  }

  #wake = (): void => {
    if (this.#socket || this.#closed || document.visibilityState !== "visible") return;
    clearTimeout(this.#retry);
    this.#open();
  };

  #open(): void {
    let away = 0; // milliseconds that the server asked to wait
    const socket = openSocket(this.#path);
    this.#socket = socket;
    socket.onopen = () => (this.online = true);
    socket.onmessage = (message: MessageEvent<string>) => {
      const said = JSON.parse(message.data) as { type?: string; retry?: number };
      if (said.type === "error" && said.retry) {
        away = 1000 * said.retry;
        return;
      }
      this.#tries = 0;
      const found = this.read(said);
      if (found !== null) this.now = found;
    };
    socket.onclose = (event) => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      if (this.#closed || event.code === 4400 || event.code === 4404) return;
      this.online = false;
      this.#retry = setTimeout(
        () => this.#open(),
        away + Math.min(15_000, 500 * 2 ** this.#tries++) * (0.75 + Math.random() / 2),
      );
    };
  }

  /** Reconnect, because the account has changed. */
  again(): void {
    const socket = this.#socket;
    this.#socket = null;
    clearTimeout(this.#retry);
    socket?.close();
    this.#open();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    removeEventListener("online", this.#wake);
    document.removeEventListener("visibilitychange", this.#wake);
    this.#socket?.close();
    this.#socket = null;
  }
}
