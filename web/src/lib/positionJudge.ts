/** An engine that looks at one position after another, for whoever wants to know what all of them are worth. */
import { freshId } from "./freshId";
import type { AnalysedLine, Sockets } from "./protocol.generated";
import { socketAddress } from "./sockets";
import { t } from "../words/words";

type Told = Sockets["/api/analysis"]["server"];
const TRIES = 20; // while the engines are busy
const PAUSE = 1000;

const sleep = (time: number): Promise<void> => new Promise((done) => setTimeout(done, time));

export class PositionJudge {
  readonly #socket = new WebSocket(socketAddress("/api/analysis"));
  readonly #open = new Promise<void>((done, failed) => {
    this.#socket.onopen = () => done();
    this.#socket.onclose = () => failed(new Error(t("engine.lost")));
  });

  /** The best line at a position after so many milliseconds; null where the game is over there. */
  async look(position: string, time: number): Promise<AnalysedLine | null> {
    await this.#open;
    for (let left = TRIES; ; left--) {
      const answer = await this.#ask(position, time, left > 0);
      if (answer !== "busy") return answer;
      await sleep(PAUSE);
    }
  }

  #ask(position: string, movetime: number, patient: boolean): Promise<AnalysedLine | null | "busy"> {
    return new Promise((done, failed) => {
      const id = freshId();
      let found: AnalysedLine | null = null;
      this.#socket.onclose = () => failed(new Error(t("engine.lost")));
      this.#socket.onmessage = (message: MessageEvent<string>) => {
        const told = JSON.parse(message.data) as Told;
        if (!("id" in told) || told.id !== id) return;
        if (told.type === "info" && told.lines[0]) found = told.lines[0];
        else if (told.type === "done") done(found);
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
