/** A saved analysis that is open: each change is stored, and those of others appear. */
import { announce, wordsOf } from "../lib/announce.svelte";
import { ServerError } from "../lib/api";
import { addressOf } from "../lib/backend";
import { rename } from "../lib/router.svelte";
import { Connection, openSocket } from "../lib/sockets";
import type { AnalysisResponse, TreeChange } from "../lib/types";
import type { AnalysisModel } from "./analysisModel.svelte";
import { isHere, shelfOf, type Shelf } from "./shelves";
import { t } from "../words/words";

const PAUSE = 700; // milliseconds in which changes are gathered
const RETRY = 4000;
const AT_ONCE = 200; // changes of one request

export class SavedAnalysis {
  info = $state.raw<AnalysisResponse | null>(null);
  /** the chapter shown */
  number = $state(0);
  state = $state<"saved" | "saving" | "unsaved">("saved");
  /** why the last change is not stored, or why nothing can be shown */
  fault = $state("");
  readonly here: boolean;
  readonly #shelf: Shelf;
  #version = 0;
  #queue: TreeChange[] = [];
  #sending: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #connection: Connection | null = null;

  constructor(
    private readonly model: AnalysisModel,
    readonly id: string,
  ) {
    this.here = isHere(id);
    this.#shelf = shelfOf(id);
    model.onchange = (change) => this.#note(change);
    addEventListener("pagehide", this.#leave);
    document.addEventListener("visibilitychange", this.#leave);
  }

  #leave = (): void => {
    if (document.visibilityState === "hidden") void this.flush();
  };
  close(): void {
    void this.flush();
    this.model.onchange = null;
    this.#connection?.close();
    removeEventListener("pagehide", this.#leave);
    document.removeEventListener("visibilitychange", this.#leave);
  }

  get chapter(): string {
    return this.info?.chapters.find((one) => one.number === this.number)?.name ?? "";
  }
  get address(): string {
    return addressOf(`/analysis/${this.id}`);
  }

  /** Show a chapter, or else the first one. */
  async open(wanted = 0): Promise<void> {
    await this.flush();
    if (this.#queue.length) return; // they are this chapter's
    try {
      const info = await this.#shelf.open(this.id);
      const number = (info.chapters.find((one) => one.number === wanted) ?? info.chapters[0])?.number ?? 1;
      const chapter = await this.#shelf.chapter(this.id, number);
      [this.info, this.number, this.#version, this.fault] = [info, number, chapter.version, ""];
      if (!(await this.model.open("", chapter))) this.fault = t("analysis.badLink");
      rename(`/analysis/${this.id}${number === info.chapters[0]?.number ? "" : `?chapter=${number}`}`);
      if (!this.here) this.#connection ??= this.#followed();
    } catch (error) {
      this.fault = wordsOf(error);
      if (!this.model.view) this.model.fault = this.fault;
    }
  }
  #followed(): Connection {
    const open = () => openSocket(`/api/analyses/${this.id}/live`);
    const hear = (message: unknown): void => {
      if ((message as { type?: string }).type === "news") void this.#reload();
    };
    return new Connection({ open, hear, final: true }, [500, 15_000]);
  }

  /** Take what others have changed. */
  async #reload(): Promise<void> {
    const { number } = this;
    try {
      await this.#sending;
      const info = await this.#shelf.open(this.id);
      this.info = info;
      const now = info.chapters.find((one) => one.number === number);
      if (!now) this.#queue = [];
      if (!now) return await this.open();
      if (this.#sending || now.version <= this.#version) return;
      const chapter = await this.#shelf.chapter(this.id, number);
      if (number !== this.number || this.#sending) return;
      this.#version = chapter.version;
      await this.model.follow(chapter, this.#queue);
      announce(t("saved.changed"));
    } catch (error) {
      this.fault = wordsOf(error);
      if (error instanceof ServerError && error.code === "not-found") this.info = null;
    }
  }

  #note(change: TreeChange): void {
    if (!this.info?.mayEdit) return;
    this.#queue.push(change);
    this.state = "saving";
    this.#later(PAUSE);
  }
  #later(pause: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.flush(), pause);
  }
  /** Store what has changed. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    while (this.#queue.length || this.#sending) {
      const good = await (this.#sending ??= this.#send().finally(() => (this.#sending = null))).then(
        () => true,
        (error: unknown) => this.#failed(error),
      );
      if (!good) return;
    }
  }
  async #send(): Promise<void> {
    const part = this.#queue.slice(0, AT_ONCE);
    const version = await this.#shelf.edit(this.id, this.number, part, this.model.data);
    this.#queue.splice(0, part.length);
    const alone = version <= this.#version + 1;
    if (alone) this.#version = version;
    [this.state, this.fault] = [this.#queue.length ? "saving" : "saved", ""];
    if (!alone) setTimeout(() => void this.#reload()); // others have changed it too
  }
  /** What a server refuses is refused again: only the reader can do something about it. */
  #failed(error: unknown): false {
    [this.state, this.fault] = ["unsaved", wordsOf(error)];
    const passing = !(error instanceof ServerError) || ["unavailable", "too-many"].includes(error.code);
    if (passing && !this.here) this.#later(RETRY);
    return false;
  }

  async add(name: string): Promise<void> {
    await this.flush();
    if (this.#queue.length) throw new Error(this.fault);
    const { start } = this.model.data;
    await this.open(await this.#shelf.add(this.id, name, { start, moves: [], at: -1 }));
  }
  async renameChapter(name: string): Promise<void> {
    await this.#shelf.rename(this.id, this.number, name);
    this.info = await this.#shelf.open(this.id);
  }
  async drop(): Promise<void> {
    await this.#shelf.drop(this.id, this.number);
    this.#queue = [];
    await this.open();
  }
  async change(change: Parameters<Shelf["change"]>[1]): Promise<void> {
    this.info = await this.#shelf.change(this.id, change);
  }
  async remove(): Promise<void> {
    this.#queue = [];
    await this.#shelf.remove(this.id);
  }
  /** Return all chapters as records, one after another. */
  async records(write: AnalysisModel): Promise<string> {
    await this.flush();
    const texts: string[] = [];
    for (const { number, name } of this.info?.chapters ?? []) {
      const chapter = await this.#shelf.chapter(this.id, number);
      await write.open("", { ...chapter, headers: { ...chapter.headers, Event: `${this.info?.name}: ${name}` } });
      texts.push(await write.record());
    }
    return texts.join("\n");
  }
}
