/** An analysis: a tree of moves and the current node. The page keeps the tree; the server knows the rules. */
import { wayOf, type Way } from "../board/shortcuts";
import { tableInSkin } from "../board/skin";
import { announce, notice, wordsOf } from "../lib/announce.svelte";
import { api, ask, type Start } from "../lib/api";
import { addressOf, backend } from "../lib/backend";
import { changeTree, endOf, growListed, growRecord, leavesOf, listed, MoveNode, movesUntil } from "./moveTree";
import { syncTree, walked } from "./moveTree";
import { packed } from "../lib/packing";
import { playMove } from "../lib/sound";
import { commentOf, commentText, shapesIn, type Shape } from "../board/shapes";
import type { AnalysisData } from "./analysisLink";
import type { AnalysedMove, PlayerArt, RecordData, TableData, TreeChange, View } from "../lib/types";
import { keep, kept } from "../storage/kept";
import { ended, t } from "../words/words";

/** What survives a reload of the page. */
interface Kept extends AnalysisData {
  source: string;
}
/** lines whose moves are named when a record is opened */
const MOST_LINES = 60;

export class AnalysisModel {
  table = $state.raw<TableData | null>(null);
  view = $state.raw<View | null>(null);
  root = $state.raw(new MoveNode());
  here = $state.raw<MoveNode>(this.root);
  /** hears of each change of the tree that the reader makes */
  onchange: ((change: TreeChange) => void) | null = null;
  /** counts changes of the tree, so that it is drawn again */
  version = $state(0);
  fault = $state("");
  busy = $state(false);
  /** the table in the player's skin */
  readonly shown = $derived(this.table && tableInSkin(this.table));
  readonly players: readonly PlayerArt[] = $derived(this.shown?.art.players ?? []);
  /** the main line, with the start before it */
  readonly line = $derived.by(() => {
    void this.version;
    const found = [this.root];
    for (let node = this.root.children[0]; node; node = node.children[0]) found.push(node);
    return found;
  });

  /** `keeps`: whether it survives a reload of the page */
  constructor(private readonly keeps = true) {}

  #start = "";
  #source = "";
  #headers: Record<string, string> = {};
  #views = new Map<MoveNode, View>();
  #wanted = 0;

  async begin(source: string, from: Start, at?: number): Promise<void> {
    this.#source = source;
    this.fault = "";
    try {
      if (from.record) await this.#openRecord(await ask("POST /api/record", { text: from.record }), at);
      else {
        const found = await api.analyse(from, []);
        this.#adopt(found.start, new MoveNode(), found.table);
        this.#views.set(this.root, found.view);
        await this.go(this.root);
      }
    } catch (error) {
      this.fault = wordsOf(error);
    }
  }

  async #openRecord(found: RecordData, at: number | undefined): Promise<void> {
    if (found.error) notice(found.error.why, true);
    const root = new MoveNode();
    growRecord(root, found.tree);
    root.comment = found.comment;
    this.#adopt(found.start, root, found.table, found.headers);
    endOf(root).path.forEach((node, i) => this.#name(node, found.moves[i]));
    await this.go(endOf(root, at === undefined ? at : movesUntil(found.moves, at)));
    await this.#nameAll();
  }

  /** Restore the analysis from before a reload, if it came from the same source. */
  async restore(source: string): Promise<boolean> {
    const before = kept<Partial<Kept>>("tree", {});
    return before.source === source && this.open(source, before as Kept);
  }

  /** Open the tree in `data`, and return whether it is valid. */
  async open(source: string, data: AnalysisData): Promise<boolean> {
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

  /** The whole analysis: start, moves and the current node. */
  get data(): AnalysisData {
    const { here, root } = this;
    const headers = Object.keys(this.#headers).length ? { headers: this.#headers } : {};
    const comment = root.comment ? { comment: root.comment } : {};
    const at = walked(root).findIndex(([node]) => node === here);
    return { start: this.#start, moves: listed(root), at, ...headers, ...comment };
  }

  #keep(): void {
    if (this.keeps) keep("tree", { source: this.#source, ...this.data } satisfies Kept);
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

  #name(node: MoveNode, found: Omit<AnalysedMove, "position" | "standing"> | undefined): void {
    if (!found) return;
    node.short = found.short || found.text;
    node.says = found.says;
    node.styled = found.styled;
    node.seat = found.seat;
    node.begins = found.begins;
    node.cells = found.cells;
  }

  /** Return the nearest complete position and the moves from it to `node`, to send as little as possible. */
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
      [position, steps] = [this.#start, node.path]; // positions do not hold what may be taken back
      found = await ask();
    }
    steps.forEach((step, i) => {
      const named = found.nodes[i];
      this.#name(step, named);
      if (named) step.position = named.position;
    });
    this.#views.set(node, found.view);
    return found.view;
  }

  /** Name the moves of all variations, with one request for each end of a line. */
  async #nameAll(): Promise<void> {
    for (const end of leavesOf(this.root).slice(0, MOST_LINES)) {
      if (end.path.every((node) => node.short && node.position)) continue;
      if (!(await this.viewOf(end).catch(() => null))) break;
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
      announce(node.parent ? `${node.says || node.text} ${view.scene.result}` : ended(t("editor.start")));
    } catch (error) {
      if (turn === this.#wanted) notice(wordsOf(error), true);
      throw error;
    } finally {
      if (turn === this.#wanted) this.busy = false;
    }
  }

  /** Go to a node; what fails is only said. */
  visit = (node: MoveNode): void => void this.go(node).catch(() => undefined);
  /** Go one way in the tree, as a key or a button asks. Return whether there is anywhere to go. */
  walk = (way: Way): boolean => {
    const { here, root } = this;
    const others = here.parent?.children ?? [];
    const beside = (by: number): MoveNode | undefined => others[others.indexOf(here) + by];
    const { parent: back, children } = here;
    const ways = { back, forward: children[0], first: root, last: endOf(here), above: beside(-1), below: beside(1) };
    const to = ways[way];
    if (to) this.visit(to);
    return !!to;
  };
  /** Answer keys of the window that lead through the tree. */
  keydown = (event: KeyboardEvent): void => {
    const way = wayOf(event);
    if (way && this.walk(way)) event.preventDefault();
  };

  /** Play moves from here. Moves that are not in the tree start a variation. */
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
      if (made.length) this.#tell(node);
      playMove();
    } catch {
      made[0]?.remove();
      this.version++;
    }
  }

  /** Return the scores at a node, if the game is over there. */
  scoresAt = async (node: MoveNode): Promise<readonly number[] | null> =>
    (await this.viewOf(node).catch(() => null))?.outcome?.scores ?? null;
  /** The scores, if the game is over here. */
  get over(): readonly number[] | null {
    return this.view?.outcome?.scores ?? null;
  }
  /** The arrows and circles at the current node. */
  readonly shapes: readonly Shape[] = $derived.by(() => {
    void this.version;
    const cells = new Set(this.table?.board.cells.map((cell) => cell.name));
    return shapesIn(this.here.comment, (name) => cells.has(name));
  });
  /** Set the comment on the current move. */
  remark(text: string): void {
    this.#note(commentOf(text.trim(), this.shapes));
  }
  /** Set the arrows and circles at the current node. */
  draw = (shapes: readonly Shape[]): void => this.#note(commentOf(commentText(this.here.comment), shapes));
  #note(comment: string): void {
    this.here.comment = comment;
    this.version++;
    this.#keep();
    this.#tell(this.here, { comment });
  }
  #tell(node: MoveNode, change: Omit<TreeChange, "path"> = {}): void {
    this.onchange?.({ path: node.path.map((one) => one.text), ...change });
  }
  /** Make the tree like `data`, which others have changed, but for the reader's own newest changes. */
  async follow(data: AnalysisData, own: readonly TreeChange[]): Promise<void> {
    const at = this.here.path;
    syncTree(this.root, data.moves);
    this.root.comment = data.comment ?? "";
    for (const change of own) changeTree(this.root, change);
    this.version++;
    let stays = this.root;
    for (const node of at) stays = stays.children.includes(node) ? node : stays;
    if (stays !== this.here) await this.go(stays);
    await this.#nameAll();
  }
  /** Delete this move and all moves after it. */
  async prune(): Promise<void> {
    const { here } = this;
    if (!here.parent) return;
    this.#tell(here, { what: "remove" });
    here.remove();
    await this.go(here.parent);
  }
  /** Make the line that leads here the main line. */
  promote(): void {
    this.here.promote();
    this.#tell(this.here, { what: "main" });
    this.version++;
    this.#keep();
  }

  /** Return the whole tree as a record, or with "line" only the line that leads to the current node. */
  async record(only: "all" | "line" = "all"): Promise<string> {
    const { path } = this.here;
    const moves =
      only === "all" ? listed(this.root) : path.map((node, i) => [i - 1, node.text, node.comment, node.signs] as const);
    const { record } = await ask("POST /api/record/write", {
      position: this.#start,
      moves: moves.map(([after, text, comment = "", signs = ""]) => ({ after, text, comment, signs })),
      comment: this.root.comment,
      headers: this.#headers,
    });
    return record;
  }

  /** Return an address that opens this tree at this node. */
  async link(): Promise<string> {
    // The position is drawn in previews of the link, which a server makes.
    const seen = !backend.device && this.view ? `?${new URLSearchParams({ position: this.view.position })}` : "";
    return addressOf(`/analysis${seen}#${await packed(this.data)}`);
  }
}
