/** A tree of moves that is studied, and where one is in it. The page keeps the tree, the server knows the moves. */
import { announce, notice } from "./announce.svelte";
import { api, reason, type Start } from "./api";
import { endOf, growListed, growRecord, leavesOf, listed, MoveNode, movesUntil, walked } from "./moveTree";
import type { AnalysedMove } from "./protocol.generated";
import { playMove } from "./sound";
import { written, type StudyData } from "./studyLink";
import type { RecordData, TableData, View } from "./types";
import { t } from "../words/words";

/** What is kept until the page is loaded again. */
interface Kept extends StudyData {
  source: string;
}
const KEY = "tercet.study";
/** lines whose moves are named when a record is opened */
const MOST_LINES = 60;

export class Study {
  table = $state.raw<TableData | null>(null);
  view = $state.raw<View | null>(null);
  root = $state.raw(new MoveNode());
  here = $state.raw<MoveNode>(this.root);
  /** counts changes of the tree, for those who draw it */
  version = $state(0);
  fault = $state("");
  busy = $state(false);

  #start = "";
  #source = "";
  #headers: Record<string, string> = {};
  #views = new Map<MoveNode, View>();
  #wanted = 0;

  async begin(source: string, from: Start, at?: number): Promise<void> {
    this.#source = source;
    this.fault = "";
    try {
      if (from.record) await this.#openRecord(await api.record(from.record), at);
      else {
        const found = await api.analyse(from, []);
        this.#adopt(found.start, new MoveNode(), found.table);
        this.#views.set(this.root, found.view);
        await this.go(this.root);
      }
    } catch (error) {
      this.fault = reason(error, t("paste.unread"));
    }
  }

  async #openRecord(found: RecordData, at: number | undefined): Promise<void> {
    if (found.error) notice(found.error.why, true);
    const root = new MoveNode();
    growRecord(root, found.tree);
    this.#adopt(found.start, root, found.table, found.headers);
    endOf(root).path.forEach((node, i) => this.#name(node, found.moves[i]));
    await this.go(endOf(root, at === undefined ? at : movesUntil(found.moves, at)));
    await this.#nameAll();
  }

  /** What was on this board before the page was loaded again, if it came from the same source. */
  async restore(source: string): Promise<boolean> {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Kept | null;
      return kept?.source === source && (await this.open(source, kept));
    } catch {
      return false;
    }
  }

  /** The tree that was handed on as `data`; whether there is one. */
  async open(source: string, data: StudyData): Promise<boolean> {
    try {
      const root = new MoveNode();
      const nodes = growListed(root, data.moves);
      const found = await api.analyse({ position: data.start }, []);
      this.#source = source;
      this.#adopt(data.start, root, found.table, data.headers);
      root.comment = data.comment ?? "";
      this.#views.set(root, found.view);
      await this.go(nodes[data.at] ?? root);
      await this.#nameAll();
    } catch {
      return false;
    }
    return this.view !== null;
  }

  /** All of it: where it begins, the moves, where one is. */
  get data(): StudyData {
    const { here, root } = this;
    const headers = Object.keys(this.#headers).length ? { headers: this.#headers } : {};
    const comment = root.comment ? { comment: root.comment } : {};
    const at = walked(root).findIndex(([node]) => node === here);
    return { start: this.#start, moves: listed(root), at, ...headers, ...comment };
  }

  #keep(): void {
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ source: this.#source, ...this.data } satisfies Kept));
    } catch {
      // too large to keep
    }
  }

  #adopt(start: string, root: MoveNode, table: TableData, headers: Record<string, string> = {}): void {
    this.#start = start;
    this.#headers = Object.fromEntries(
      Object.entries(headers).filter(([name]) => !["Game", "Options", "Result", "Seed"].includes(name)),
    );
    this.#views.clear();
    root.position = start;
    this.root = root;
    this.here = root;
    this.table = table;
    this.version++;
  }

  #name(node: MoveNode, told: Omit<AnalysedMove, "position" | "standing"> | undefined): void {
    if (!told) return;
    node.short = told.short || told.text;
    node.says = told.says;
    node.styled = told.styled;
    node.seat = told.seat;
    node.begins = told.begins;
    node.cells = told.cells;
  }

  /** From the nearest position that says all that matters, the moves that lead here; as little as possible is sent. */
  #way(node: MoveNode): { position: string; steps: MoveNode[] } {
    const path = node.path;
    const known = this.table?.history ? -1 : path.findLastIndex((step) => step.position);
    return { position: path[known]?.position ?? this.#start, steps: path.slice(known + 1) };
  }

  async viewOf(node: MoveNode): Promise<View> {
    const known = this.#views.get(node);
    if (known) return known;
    let { position, steps } = this.#way(node);
    const ask = () =>
      api.reach(
        position,
        steps.map((step) => step.text),
      );
    let found: Awaited<ReturnType<typeof ask>>;
    try {
      found = await ask();
    } catch (error) {
      if (position === this.#start) throw error;
      [position, steps] = [this.#start, node.path]; // no position tells what may be taken back
      found = await ask();
    }
    steps.forEach((step, i) => {
      const told = found.nodes[i];
      this.#name(step, told);
      if (told) step.position = told.position;
    });
    this.#views.set(node, found.view);
    return found.view;
  }

  /** Names and positions for the moves of all branches: one question for each end of a line. */
  async #nameAll(): Promise<void> {
    for (const end of leavesOf(this.root).slice(0, MOST_LINES)) {
      if (end.path.every((node) => node.short && node.position)) continue;
      try {
        await this.viewOf(end);
      } catch {
        break;
      }
    }
    this.version++;
  }

  async go(node: MoveNode): Promise<void> {
    const turn = ++this.#wanted;
    this.busy = true;
    try {
      const view = await this.viewOf(node);
      if (turn !== this.#wanted) return;
      this.here = node;
      this.view = view;
      this.version++;
      this.#keep();
      announce(node.parent ? `${node.says || node.text} ${view.scene.result}` : t("table.start"));
    } catch (error) {
      if (turn === this.#wanted) notice(reason(error, t("table.positionFailed")), true);
      throw error;
    } finally {
      if (turn === this.#wanted) this.busy = false;
    }
  }

  /** Play moves from here, as a new branch where they are not in the tree yet. */
  async play(texts: readonly string[]): Promise<void> {
    let node = this.here;
    const made: MoveNode[] = [];
    for (const text of texts) {
      const known = node.child(text);
      const next = known ?? node.grow(text);
      if (!known) made.push(next);
      node = next;
    }
    try {
      await this.go(node);
      playMove();
    } catch {
      made[0]?.remove();
      this.version++;
    }
  }

  get last(): string[] {
    return [...this.here.cells];
  }

  /** What is said of the move that is looked at. */
  remark(text: string): void {
    this.here.comment = text.trim();
    this.version++;
    this.#keep();
  }
  /** Remove this move and what follows it. */
  async prune(): Promise<void> {
    const { here } = this;
    if (!here.parent) return;
    here.remove();
    await this.go(here.parent);
  }
  /** Make the line that leads here the main line. */
  promote(): void {
    this.here.promote();
    this.version++;
    this.#keep();
  }

  /** The whole tree as a record, or (`only`) the line that leads to where one is. */
  async record(only: "all" | "line" = "all"): Promise<string> {
    const { path } = this.here;
    const moves = only === "all" ? listed(this.root) : path.map((node, i) => [i - 1, node.text, node.comment] as const);
    const { record } = await api.writeRecord({
      position: this.#start,
      moves: moves.map(([after, text, comment]) => ({ after, text, comment: comment ?? "" })),
      comment: this.root.comment,
      headers: this.#headers,
    });
    return record;
  }

  /** An address at which everybody finds this very tree and place. */
  async link(): Promise<string> {
    return new URL(`/analysis#${await written(this.data)}`, location.href).href;
  }
}
