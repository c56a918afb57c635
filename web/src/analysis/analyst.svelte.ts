import { freshId } from "../lib/freshId";
import type { AnalysisInfo, Sockets } from "../lib/protocol.generated";
import { openAnalysis } from "../device/thinking.svelte";
import type { Socket } from "../lib/backend";

/** The engine that analyses the position on the board. */
export class Analyst {
  info = $state.raw<AnalysisInfo | null>(null);
  thinking = $state(false);
  fault = $state("");
  #socket: Socket | null = null;
  #asked = "";
  #retry: ReturnType<typeof setTimeout> | undefined;
  #wish: { position: string; multipv: number } | null = null;

  look(position: string, multipv: number): void {
    this.#wish = { position, multipv };
    this.info = null;
    this.fault = "";
    if (this.#socket?.readyState === WebSocket.OPEN) this.#ask();
    else if (!this.#socket) this.#open();
  }

  #ask(): void {
    if (!this.#wish || this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#asked = freshId();
    this.thinking = true;
    this.#socket.send(JSON.stringify({ type: "go", id: this.#asked, ...this.#wish }));
  }

  #open(): void {
    const socket = openAnalysis();
    this.#socket = socket;
    socket.onopen = () => this.#ask();
    socket.onmessage = (message: MessageEvent<string>) => {
      const answer = JSON.parse(message.data) as Sockets["/api/analysis"]["server"];
      if (!("id" in answer) || answer.id !== this.#asked) return;
      if (answer.type === "info") this.info = answer;
      else if (answer.type === "done") this.thinking = false;
      else if (answer.type === "error") {
        this.thinking = false;
        this.fault = answer.why;
      }
    };
    socket.onclose = () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.thinking = false;
      if (this.#wish) this.#retry = setTimeout(() => this.#wish && this.#open(), 2000);
    };
  }

  stop(): void {
    clearTimeout(this.#retry);
    this.#wish = null;
    this.thinking = false;
    this.info = null;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
  }
}
