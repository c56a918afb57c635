/** An engine that looks at one position after another, for whoever wants to know what all of them are worth. */
import { freshId } from "./freshId";
import type { AnalysedLine, Sockets } from "./protocol.generated";
import { socketAddress } from "./sockets";
import { t } from "../words/words";

type Told = Sockets["/api/analysis"]["server"];
export const QUICK = 300; // milliseconds a position, where all of a game are looked at
export const THOROUGH = 1200; // for those that seem to matter
export const MORE = 3; // times that a busy machine may take twice as long
export const MOST = 5; // such turns of a player
const TRIES = 20; // while the engines are busy
const PAUSE = 1000;
const FEW = 1000; // nodes; a third of a second of any game's engine has more on a machine that is not busy
const EARLY = 0.8; // of its time: an engine that ends before has seen all it wants to see

interface Found {
  line: AnalysedLine;
  few: boolean;
}

const sleep = (time: number): Promise<void> => new Promise((done) => setTimeout(done, time));

export class PositionJudge {
  readonly #socket = new WebSocket(socketAddress("/api/analysis"));
  readonly #open = new Promise<void>((done, failed) => {
    this.#socket.onopen = () => done();
    this.#socket.onclose = () => failed(new Error(t("engine.lost")));
  });

  /** The best line at a position after so many milliseconds; null where the game is over there. An engine that had few
   * nodes in them, on a busy machine, gets twice the time, and again, up to `more` times. */
  async look(position: string, time: number, more = 0): Promise<AnalysedLine | null> {
    await this.#open;
    let found = await this.#patiently(position, time);
    for (let again = 1; again <= more && found?.few; again++)
      found = await this.#patiently(position, time * 2 ** again);
    return found && found.line;
  }

  async #patiently(position: string, time: number): Promise<Found | null> {
    for (let left = TRIES; ; left--) {
      const answer = await this.#ask(position, time, left > 0);
      if (answer !== "busy") return answer;
      await sleep(PAUSE);
    }
  }

  #ask(position: string, movetime: number, patient: boolean): Promise<Found | null | "busy"> {
    return new Promise((done, failed) => {
      const id = freshId();
      let found: Found | null = null;
      this.#socket.onclose = () => failed(new Error(t("engine.lost")));
      this.#socket.onmessage = (message: MessageEvent<string>) => {
        const told = JSON.parse(message.data) as Told;
        if (!("id" in told) || told.id !== id) return;
        if (told.type === "info" && told.lines[0]) {
          const [line] = told.lines;
          const early = 1000 * told.seconds < EARLY * movetime;
          found = { line, few: !line.proved && !early && told.nodes < FEW };
        }
        if (told.type === "done") done(found);
        else if (told.type === "error" && told.code === "too-many" && patient) done("busy");
        else if (told.type === "error") failed(new Error(told.why));
      };
      if (this.#socket.readyState !== WebSocket.OPEN) failed(new Error(t("engine.lost")));
      else this.#socket.send(JSON.stringify({ type: "go", id, position, movetime }));
    });
  }

  close(): void {
    this.#open.catch(() => undefined);
    this.#socket.close();
  }
}
