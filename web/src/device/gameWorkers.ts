/** A worker of this window alone that plays the games of the dial, with a Python of its own. */
import type { Answering } from "../lib/api";
import { build, hear, ownWorker, request, whenGone } from "./deviceLink";
import { PLAYER, type Order } from "./messages";

const PATIENCE = 1000; // ms for which it may go on with a request that was aborted

export class GameWorker implements Answering {
  /** progress of its start, from 0 to 1 */
  started = 0;
  ended = false;
  /** resolved when it has started */
  readonly ready: Promise<unknown>;
  readonly #worker = ownWorker(PLAYER + build);
  /** the requests that it has not answered */
  readonly #asked = new Set<number>();
  #lose: (error: Error) => void = () => undefined;
  readonly #lost = new Promise<never>((_, failed) => (this.#lose = failed));

  /** `changed` is called when it has started a little more. */
  constructor(changed: () => void) {
    const started = new Promise<void>((done) => {
      this.#worker.onmessage = ({ data: report }: MessageEvent<Parameters<typeof hear>[0]>) => {
        if (report.is === "progress") {
          this.started = report.share;
          changed();
          if (this.started === 1) done();
        } else if (report.is === "alive") whenGone(report.lock, () => this.end());
        else if (report.is === "failed") this.end();
        else if (report.is === "answer") {
          this.#asked.delete(report.id);
          hear(report);
        }
      };
    });
    this.#worker.onerror = () => this.end();
    this.ready = Promise.race([started, this.#lost]);
    this.ready.catch(() => undefined);
    this.#worker.postMessage({ do: "start", build } satisfies Order);
  }

  fetch(path: string, init: RequestInit): Promise<Response> {
    let asked = 0;
    const answer = request(path, init, (order) => {
      this.#asked.add((asked = order.id));
      this.#worker.postMessage(order);
    });
    init.signal?.addEventListener("abort", () => {
      if (this.#asked.has(asked)) setTimeout(() => this.#asked.has(asked) && this.end(), PATIENCE);
    });
    return Promise.race([answer, this.#lost]);
  }

  /** Free its processor and its memory. */
  end(): void {
    this.ended = true;
    this.#worker.terminate();
    this.#lose(new Error("ended"));
  }
}
