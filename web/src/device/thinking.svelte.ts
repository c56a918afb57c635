/** Where engines think for the page of a server: on this device once Tercet runs there; on the server until then, where
 * the player wants that, and whenever the device fails. */
import { ask, type HintStrength } from "../lib/api";
import { offersDevice, type Socket } from "../lib/backend";
import type { DeviceEngine } from "../lib/device";
import { settings } from "../lib/settings.svelte";
import { openSocket, spoken } from "../lib/sockets";
import type { GoMessage, HintData, Sockets, ThinkerMessage, ThinkQuestion, ThoughtMessage } from "../lib/types";
import { language } from "../words/words";

const PATH = "/api/analysis";
const SILENCE = 10_000; // ms without a word from the device, after which it is given up

/** whether the latest analysis runs on this device */
export const thinking = $state({ here: false });

let engine: DeviceEngine | null = null;
let loading: Promise<DeviceEngine | null> | null = null;
const savesData = (): boolean => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

/** Return whether engines may think on this device for the page of a server. */
export const thinksHere = (): boolean => offersDevice() && settings.thinkHere && !savesData();

/** Start Tercet on this device. */
function prepare(): Promise<DeviceEngine | null> {
  if (!thinksHere()) return Promise.resolve(null);
  return (loading ??= import("./deviceEngine").then(
    (found) => (engine = found.engine),
    () => null,
  ));
}
const ready = (): DeviceEngine | null => (settings.thinkHere && engine?.ready ? engine : null);

type Where = "device" | "server";
const whereNow = (): Where => (ready() ? "device" : "server");

/** The socket of an analysis. Each position is analysed where that is possible now, and what the device loses is asked of
 * the server. */
class AnalysisSocket implements Socket {
  readyState: number = WebSocket.CONNECTING;
  onopen: Socket["onopen"] = null;
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  readonly #sockets = new Map<Where, Socket>();
  #where = whereNow();
  /** what is being analysed */
  #go: GoMessage | null = null;
  /** the nodes that the server has searched for it */
  #nodes = 0;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #unfollow: (() => void) | undefined;

  constructor() {
    this.#reach(this.#where);
    void prepare().then((device) => {
      if (!device || this.readyState === WebSocket.CLOSED) return;
      this.#unfollow = device.follow(() => this.#choose());
      this.#choose();
    });
  }

  send(text: string): void {
    this.#go = JSON.parse(text) as GoMessage;
    this.#nodes = 0;
    this.#begin(whereNow());
  }

  close(): void {
    for (const socket of this.#sockets.values()) {
      socket.onclose = null;
      socket.close();
    }
    this.#closed(new CloseEvent("close"));
  }

  /** The device has started or failed. A short analysis on the server is soon done. */
  #choose(): void {
    const now = whereNow();
    if (!this.#go || now === this.#where || (now === "device" && this.#go.movetime)) return;
    if (now === "device") this.#sockets.get("server")?.send(JSON.stringify({ type: "stop" }));
    this.#begin(now);
  }

  #begin(now: Where): void {
    this.#where = now;
    thinking.here = now === "device";
    clearTimeout(this.#silence);
    if (now === "device") this.#silence = setTimeout(() => engine?.stop(), SILENCE);
    const socket = this.#reach(now);
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(this.#go));
  }

  #reach(where: Where): Socket {
    const known = this.#sockets.get(where);
    if (known) return known;
    const socket = where === "device" && engine ? engine.open(spoken(PATH)) : openSocket(PATH);
    this.#sockets.set(where, socket);
    socket.onopen = (event) => {
      if (this.#go && this.#where === where) socket.send(JSON.stringify(this.#go));
      if (this.readyState !== WebSocket.CONNECTING) return;
      this.readyState = WebSocket.OPEN;
      this.onopen?.(event);
    };
    socket.onmessage = (event) => where === this.#where && this.#hear(event);
    socket.onclose = (event) => {
      this.#sockets.delete(where);
      if (where === "device") engine?.stop();
      else if (this.#where === where) this.#closed(event);
    };
    return socket;
  }

  #hear(event: MessageEvent<string>): void {
    const said = JSON.parse(event.data) as Sockets["/api/analysis"]["server"];
    clearTimeout(this.#silence);
    if ("id" in said && said.id === this.#go?.id) {
      if (said.type !== "info") this.#go = null;
      else if (this.#where === "server") this.#nodes = said.nodes;
      else if (said.nodes < this.#nodes) return; // the server had found more
    }
    this.onmessage?.(event);
  }

  #closed(event: CloseEvent): void {
    clearTimeout(this.#silence);
    this.#unfollow?.();
    this.readyState = WebSocket.CLOSED;
    this.onclose?.(event);
  }
}

/** Open a socket that analyses positions as `/api/analysis` does. */
export const openAnalysis = (): Socket => (offersDevice() ? new AnalysisSocket() : openSocket(PATH));

/** Return a hint for the player to move at a table, in this position of it, after `moves` that are not sent. */
export async function hint(
  table: string,
  position: string,
  strength: HintStrength,
  moves: readonly string[],
): Promise<HintData> {
  void prepare();
  const found = await ready()
    ?.fetch("/api/hint", {
      method: "POST",
      body: JSON.stringify({ position, strength }),
      headers: { "accept-language": language },
      signal: AbortSignal.timeout(SILENCE),
    })
    .catch(() => null);
  return found?.ok
    ? ((await found.json()) as HintData)
    : ask("POST /api/tables/{table_id}/hint", { table_id: table, strength, moves }, { seats: table });
}

/** Lets this device think for the engines at a server's table. */
export class TableThinker {
  #begun = false;
  /** what the server knows of this device on the present connection */
  #can = false;
  #unfollow: (() => void) | undefined;

  constructor(
    private readonly table: string,
    private readonly say: (message: ThinkerMessage | ThoughtMessage) => void,
  ) {}

  /** Start Tercet on this device, and offer it to the server once it can think. */
  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    void prepare().then((device) => {
      if (!device || !this.#begun) return;
      this.#unfollow = device.follow(() => this.#offer());
      this.#offer();
    });
  }

  /** The server knows nothing on a new connection. */
  connected(): void {
    this.#can = false;
    this.#offer();
  }

  async think({ n, seat, position, level, seed }: ThinkQuestion): Promise<void> {
    const body = JSON.stringify({ table: this.table, seat, position, level, seed });
    const found = await ready()
      ?.fetch("/api/think", { method: "POST", body })
      .catch(() => null);
    const action = found?.ok ? ((await found.json()) as { action: string }).action : null;
    this.say({ type: "thought", n, action });
    if (action === null) this.#can = false; // the server asks no more
  }

  close(): void {
    this.#begun = false;
    this.#unfollow?.();
  }

  #offer(): void {
    const can = this.#begun && ready() !== null;
    if (can === this.#can) return;
    this.#can = can;
    this.say({ type: "thinker", can });
  }
}
