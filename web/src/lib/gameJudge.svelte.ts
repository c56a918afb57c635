/** An engine that looks at every position of a line, one after another, for the graph of a whole game. */
import type { Judgement } from "./chance";
import { freshId } from "./freshId";
import type { MoveNode } from "./moveTree";
import type { Sockets } from "./protocol.generated";
import { t } from "../words/words";
import { socketAddress } from "./sockets";

type Told = Sockets["/api/analysis"]["server"];
const EACH = 300; // milliseconds a position
const TRIES = 20; // while the engines are busy
const PAUSE = 1000;

const sleep = (time: number): Promise<void> => new Promise((done) => setTimeout(done, time));

export class GameJudge {
  /** what is thought of each position that was looked at */
  judged = $state.raw<ReadonlyMap<MoveNode, Judgement>>(new Map());
  /** how many are looked at, and how many of them are done; 0 while nothing is */
  all = $state(0);
  done = $state(0);
  fault = $state("");
  #socket: WebSocket | null = null;

  get running(): boolean {
    return this.all > 0;
  }

  /** Look at these positions; `ended` tells of one at which the game is over. */
  async run(nodes: readonly MoveNode[], ended: (node: MoveNode) => Promise<readonly number[] | null>): Promise<void> {
    this.stop();
    this.fault = "";
    const socket = new WebSocket(socketAddress("/api/analysis"));
    this.#socket = socket;
    [this.all, this.done] = [nodes.length, 0];
    try {
      await new Promise((open, failed) => ((socket.onopen = open), (socket.onclose = failed)));
      for (const node of nodes) {
        if (!this.judged.has(node)) {
          const found = await this.#ask(socket, node.position);
          const scores = found === null ? await ended(node) : null;
          const judgement = found ?? (scores && { scores, proved: true });
          if (this.#socket !== socket) return;
          if (judgement) this.judged = new Map([...this.judged, [node, judgement]]);
        }
        this.done++;
      }
    } catch (error) {
      if (this.#socket === socket) this.fault = error instanceof Error ? error.message : t("engine.unreached");
    } finally {
      if (this.#socket === socket) this.stop();
      socket.close();
    }
  }

  /** What the engine thinks of a position; null where it has nothing to say since the game is over. */
  async #ask(socket: WebSocket, position: string): Promise<Judgement | null> {
    for (let left = TRIES; ; left--) {
      const answer = await new Promise<Judgement | null | "busy">((done, failed) => {
        const id = freshId();
        let found: Judgement | null = null;
        socket.onclose = () => failed(new Error(t("engine.lost")));
        socket.onmessage = (message: MessageEvent<string>) => {
          const told = JSON.parse(message.data) as Told;
          if (!("id" in told) || told.id !== id) return;
          if (told.type === "info" && told.lines[0]) found = told.lines[0];
          else if (told.type === "done") done(found);
          else if (told.type === "error") {
            if (told.code === "too-many" && left > 0) done("busy");
            else failed(new Error(told.why));
          }
        };
        socket.send(JSON.stringify({ type: "go", id, position, movetime: EACH }));
      });
      if (answer !== "busy") return answer;
      await sleep(PAUSE);
    }
  }

  stop(): void {
    this.#socket?.close();
    this.#socket = null;
    this.all = this.done = 0;
  }
}
