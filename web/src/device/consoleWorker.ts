/** A worker of this window alone that runs cells of Python, so that ending it stops a cell that never ends. */
import { build, ownWorker, whenGone } from "./deviceLink";
import type { Failure } from "../lib/device";
import { CONSOLE, type Order, type Report } from "./messages";

/** What a cell leaves behind; what does not exist is empty. */
export interface Ran {
  error: string;
  position: string;
  svg: string;
  /** Whether the page knows the position's game. */
  known: boolean;
}
interface Listener {
  started(share: number): void;
  printed(text: string): void;
  ran(found: Ran): void;
  /** It has ended, without being asked to. */
  ended(failure: { why: Failure; detail: string } | null): void;
}

export class ConsoleWorker {
  readonly #worker = ownWorker(CONSOLE + build);
  #over = false;

  constructor(listener: Listener) {
    const end = (failure: { why: Failure; detail: string } | null): void => {
      if (this.#over) return;
      this.end();
      listener.ended(failure);
    };
    this.#worker.onerror = () => end({ why: "noWorker", detail: "" });
    this.#worker.onmessage = ({ data: report }: MessageEvent<Report>) => {
      if (this.#over) return;
      if (report.is === "progress") listener.started(report.share);
      else if (report.is === "printed") listener.printed(report.text);
      else if (report.is === "ran") listener.ran(JSON.parse(report.text) as Ran);
      else if (report.is === "failed") end(report);
      else if (report.is === "alive") whenGone(report.lock, () => end(null));
    };
    this.#post({ do: "start", build });
  }
  #post(order: Order): void {
    this.#worker.postMessage(order);
  }
  run(cell: string): void {
    this.#post({ do: "run", cell });
  }
  end(): void {
    this.#over = true;
    this.#worker.terminate();
  }
}

/** Return why no cell can run here: "none" if the server does not offer the files. */
export const unable = (): "noWasm" | "none" | null =>
  typeof WebAssembly !== "object" ? "noWasm" : build ? null : "none";
