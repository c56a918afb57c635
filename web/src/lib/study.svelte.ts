/** A tree of moves that is studied, and where one is in it. The page keeps the tree, the server knows the moves. */
import { announce, notice } from "./announce.svelte";
import { api, type Start } from "./api";
import { endOf, growRecord, leavesOf, MoveNode, pack, unpack, type PackedMove } from "./moveTree";
import { playMove } from "./sound";
import type { Analysed, TableData, View } from "./types";

/** What is kept until the page is loaded again. */
interface Kept {
  source: string;
  start: string;
  tree: PackedMove[];
  at: string[];
}
const KEY = "tercet.study";
/** lines whose moves are named when a record is opened */
const MOST_LINES = 30;

export class Study {
  table = $state.raw<TableData | null>(null);
  view = $state.raw<View | null>(null);
  root = $state.raw(new MoveNode());
  here = $state.raw<MoveNode>(this.root);
  /** counts changes of the tree, for those who draw it */
  version = $state(0);
  fault = $state("");
  record = $state("");
  busy = $state(false);

  #start = "";
  #source = "";
  #views = new Map<string, { view: View; record: string }>();
  #wanted = 0;

  async begin(source: string, from: Start, at?: number): Promise<void> {
    this.#source = source;
    this.fault = "";
    try {
      if (from.record) {
        const found = await api.record(from.record);
        if (found.error) notice(found.error.why, true);
        const root = new MoveNode();
        growRecord(root, found.tree);
        await this.#open(found.start, root);
        const node = endOf(root, at);
        await this.go(node);
        await this.#nameAll();
      } else {
        const found = await api.analyse(from, []);
        this.#adopt(found.start, new MoveNode(), found);
      }
    } catch (error) {
      this.fault = error instanceof Error ? error.message : "That could not be read.";
    }
  }

  /** What was on this board before the page was loaded again, if it came from the same source. */
  async restore(source: string): Promise<boolean> {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Kept | null;
      if (!kept || kept.source !== source) return false;
      const root = new MoveNode();
      unpack(root, kept.tree);
      this.#source = source;
      await this.#open(kept.start, root);
      let node = root;
      for (const text of kept.at) node = node.child(text) ?? node;
      await this.go(node);
      await this.#nameAll();
      return this.view !== null;
    } catch {
      return false;
    }
  }

  #keep(): void {
    const kept: Kept = {
      source: this.#source,
      start: this.#start,
      tree: pack(this.root.children),
      at: this.here.path.map((node) => node.text),
    };
    try {
      sessionStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      // too large to keep
    }
  }

  async #open(start: string, root: MoveNode): Promise<void> {
    const found = await api.analyse({ position: start }, []);
    this.#adopt(start, root, found);
  }

  #adopt(start: string, root: MoveNode, found: Analysed): void {
    this.#start = start;
    this.#views.clear();
    this.root = root;
    this.here = root;
    this.table = found.table;
    this.#views.set(root.id, { view: found.view, record: found.record });
    this.view = found.view;
    this.record = found.record;
    this.version++;
    this.#keep();
  }

  #name(node: MoveNode, found: Analysed): void {
    node.path.forEach((step, i) => {
      const told = found.nodes[i];
      if (!told) return;
      step.short = told.short || told.text;
      step.says = told.says;
      step.seat = told.seat;
      step.cells = told.cells;
    });
  }

  async #fetch(node: MoveNode): Promise<{ view: View; record: string }> {
    const known = this.#views.get(node.id);
    if (known) return known;
    const found = await api.analyse(
      { position: this.#start },
      node.path.map((step) => step.text),
    );
    this.#name(node, found);
    const made = { view: found.view, record: found.record };
    this.#views.set(node.id, made);
    return made;
  }

  /** Names for the moves of all branches: one question for each end of a line. */
  async #nameAll(): Promise<void> {
    for (const end of leavesOf(this.root).slice(0, MOST_LINES)) {
      if (end.path.some((node) => !node.short)) {
        try {
          await this.#fetch(end);
        } catch {
          break;
        }
      }
    }
    this.version++;
  }

  async go(node: MoveNode): Promise<void> {
    const turn = ++this.#wanted;
    this.busy = true;
    try {
      const found = await this.#fetch(node);
      if (turn !== this.#wanted) return;
      this.here = node;
      this.view = found.view;
      this.record = found.record;
      this.version++;
      this.#keep();
      announce(node.parent ? `${node.says || node.text} ${found.view.scene.result}` : "The start.");
    } catch (error) {
      if (turn === this.#wanted)
        notice(error instanceof Error ? error.message : "That position could not be fetched.", true);
      throw error;
    } finally {
      if (turn === this.#wanted) this.busy = false;
    }
  }

  /** Play moves from here, as a new branch where they are not in the tree yet. */
  async play(texts: readonly string[]): Promise<void> {
    const from = this.here;
    let node = from;
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
}
