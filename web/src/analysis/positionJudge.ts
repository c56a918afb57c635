/** An engine that analyses one position after another, for reviews of whole games. */
import { Connection, freshId } from "../lib/sockets";
import type { AnalysedLine, Sockets } from "../lib/types";
import { openAnalysis } from "../device/thinking.svelte";

type Answer = Sockets["/api/analysis"]["server"];
export const QUICK = 300; // milliseconds a position, for a first look at a whole game
export const THOROUGH = 1200; // milliseconds a position, for those that seem to matter
export const FIRST = 5000; // milliseconds of a first look at a whole game, however slow the machine is
export const MORE = 3; // doublings of the time on a busy machine
export const MOST = 5; // turns of a player that are analysed again
export const COMPARED = 4; // turns that one search values there
const TRIES = 20; // attempts while the engines are busy
const PAUSE = 1000;
const FEW = 1000; // nodes; on an idle machine, every engine exceeds this in a third of a second
const EARLY = 0.8; // share of the time: an engine that stops sooner has finished

export type BestLine = AnalysedLine & { lines: readonly AnalysedLine[] };
interface Found {
  lines: readonly AnalysedLine[];
  few: boolean;
}

const sleep = (time: number): Promise<void> => new Promise((done) => setTimeout(done, time));

export class PositionJudge {
  /** what is done once the engine answers: until then it is starting */
  onready: () => void = () => undefined;
  /** the positions at which the engine reached few nodes last */
  readonly hurried = new Set<string>();
  #question: object | null = null;
  #hear: (answer: Answer) => void = () => undefined;
  /** on which the last question is asked again when it was lost */
  readonly #connection: Connection = new Connection(
    { open: openAnalysis, opened: () => this.#send(), hear: (message) => this.#hear(message as Answer) },
    [PAUSE, PAUSE],
  );

  /** Return the best line after `time` milliseconds, with the best `count`, or null if the game is over. */
  async best(position: string, time: number, more = 0, count = 1): Promise<BestLine | null> {
    const lines = await this.lines(position, time, more, count);
    return lines?.[0] ? { ...lines[0], lines } : null;
  }

  /** Return the best `count` lines after `time` milliseconds, or null if the game is over. On a busy machine, an engine
   * that reached few nodes gets twice the time, up to `more` times over. */
  async lines(position: string, time: number, more = 0, count = 1): Promise<readonly AnalysedLine[] | null> {
    let found = await this.#patiently(position, time, count);
    for (let again = 1; again <= more && found?.few; again++)
      found = await this.#patiently(position, time * 2 ** again, count);
    if (found?.few) this.hurried.add(position);
    else this.hurried.delete(position);
    return found && found.lines;
  }

  async #patiently(position: string, time: number, count: number): Promise<Found | null> {
    for (let left = TRIES; ; left--) {
      const answer = await this.#ask(position, time, count, left > 0);
      if (answer !== "busy") return answer;
      await sleep(PAUSE);
    }
  }

  #ask(position: string, movetime: number, multipv: number, patient: boolean): Promise<Found | null | "busy"> {
    return new Promise((done, failed) => {
      const id = freshId();
      let found: Found | null = null;
      this.#hear = (answer) => {
        if (!("id" in answer) || answer.id !== id) return;
        if (answer.type === "done" || (answer.type === "info" && answer.lines[0])) this.onready();
        if (answer.type === "info" && answer.lines[0]) {
          const { lines, nodes, seconds } = answer;
          const early = 1000 * seconds < EARLY * movetime;
          found = { lines, few: !answer.lines[0].proved && !early && nodes < FEW };
        }
        if (answer.type === "done") done(found);
        else if (answer.type === "error" && answer.code === "too-many" && patient) done("busy");
        else if (answer.type === "error") failed(new Error(answer.why));
      };
      this.#question = { type: "go", id, position, movetime, multipv };
      this.#send();
    });
  }

  #send(): void {
    if (this.#question) this.#connection.send(this.#question);
  }

  close(): void {
    this.#connection.close();
  }
}
