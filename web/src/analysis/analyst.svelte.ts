import type { AnalysisInfo, Sockets } from "../lib/types";
import { openAnalysis } from "../device/thinking.svelte";
import { Connection, freshId } from "../lib/sockets";
import { keepText, keptText } from "../storage/kept";

/** The engine that analyses the position on the board. */
export class Analyst {
  on = $state(keptText("engine") === "on");
  /** the number of lines */
  lines = $state(3);
  info = $state.raw<AnalysisInfo | null>(null);
  fault = $state("");
  #connection: Connection | null = null;
  #asked = "";
  #wish: { position: string; multipv: number } | null = null;

  analyse(position: string, multipv: number): void {
    this.#wish = { position, multipv };
    this.info = null;
    this.fault = "";
    if (this.#connection) this.#ask();
    else {
      const hear = (message: unknown): void => this.#hear(message as Sockets["/api/analysis"]["server"]);
      this.#connection = new Connection({ open: openAnalysis, opened: () => this.#ask(), hear }, [2000, 2000]);
    }
  }

  #ask(): void {
    this.#asked = freshId();
    this.#connection?.send({ type: "go", id: this.#asked, ...this.#wish });
  }
  #hear(answer: Sockets["/api/analysis"]["server"]): void {
    if (!("id" in answer) || answer.id !== this.#asked) return;
    if (answer.type === "info") this.info = answer;
    else if (answer.type === "error") this.fault = answer.why;
  }

  toggle(): void {
    this.on = !this.on;
    keepText("engine", this.on ? "on" : "off");
  }
  stop(): void {
    this.info = null;
    this.#connection?.close();
    this.#connection = null;
  }
}
