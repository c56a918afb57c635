/** Questions about a position; the answers are marks on the board and lines to play through. */
import { Lookahead, playedLine } from "../board/lookahead";
import type { Line } from "../board/line.svelte";
import type { Tell } from "../board/skin";
import { announce, notice, wordsOf } from "../lib/announce.svelte";
import { api } from "../lib/api";
import type { Exploration, Findings, Mark } from "../lib/types";
import { t } from "../words/words";

export class Exploring {
  on = $state.raw<Exploration | null>(null);
  found = $state.raw<Findings | null>(null);
  /** an answer is awaited */
  asking = $state(false);
  /** the answer, for the board */
  marks = $state.raw<readonly Mark[] | null>(null);
  line = $state.raw<Line | null>(null);
  /** receives a cell while the player is to name one */
  onask = $state.raw<((cell: string) => void) | undefined>();
  #cell: string | null = null;
  #position = "";
  #tell: Tell = (text) => text;
  /** counts questions, so that late answers are dropped */
  #asked = 0;
  readonly #lookahead = new Lookahead();

  /** The board shows this position: ask again what is quick and has an answer, and clear the rest. */
  follow(position: string, askable: readonly string[] | null | undefined, tell: Tell): void {
    const before = this.#position;
    [this.#position, this.#tell] = [position, tell];
    if (!before || before === position || !this.on) return;
    if (this.on.live && (askable?.includes(this.on.id) ?? true)) void this.#ask();
    else this.stop();
  }

  toggle(one: Exploration): void {
    const again = this.on?.id === one.id;
    this.#clear();
    this.on = again ? null : one;
    this.#cell = null;
    this.onask = this.on?.needs === "cell" ? (name) => ((this.#cell = name), void this.#ask()) : undefined;
    if (!this.on) announce(t("explore.nothing"));
    else if (this.on.needs === "cell") announce(t("explore.choose", { title: one.title }));
    else void this.#ask();
  }
  /** Leave the line, or else clear all answers. */
  leave(): void {
    if (this.line) this.line = null;
    else this.stop();
  }
  stop(): void {
    this.#clear();
    this.on = null;
    this.onask = undefined;
  }
  #clear(): void {
    this.#asked++;
    this.found = this.marks = this.line = null;
    this.asking = false;
  }

  async #ask(): Promise<void> {
    const one = this.on;
    if (!one || (one.needs === "cell" && !this.#cell)) return;
    const now = ++this.#asked;
    this.asking = true;
    this.line = null;
    try {
      const answer = await api.explore(this.#position, one.id, this.#cell ?? undefined);
      if (now !== this.#asked) return;
      this.found = answer;
      this.marks = answer.marks.map((mark) => ({ ...mark, says: this.#tell(mark.says) }));
      announce(this.#tell(answer.text) || t("explore.marks", { n: answer.marks.length }));
    } catch (error) {
      if (now !== this.#asked) return;
      this.found = this.marks = null;
      notice(wordsOf(error), true);
    } finally {
      if (now === this.#asked) this.asking = false;
    }
  }
  /** Show a line of the answer. */
  async show(actions: string[], says: string): Promise<void> {
    const now = this.#asked;
    const line = await playedLine(this.#lookahead, this.#position, actions, says, this.#tell);
    if (now !== this.#asked || !line) return;
    this.line = line;
    announce(says);
  }
}
