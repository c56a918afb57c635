/** A tree of moves from one start, and where one is in it. The page keeps the tree, the server knows the moves. */
import { announce, notice } from "./announce.svelte";
import { api, type Analysed, type Start } from "./api";
import { freshId } from "./live";
import { playMove } from "./sound";
import type { Info, TableData, View } from "./types";

export interface Twig {
  text: string;
  comment?: string;
  variations?: Twig[][];
}

export class Node {
  readonly id = freshId();
  readonly text: string;
  readonly parent: Node | null;
  short = "";
  says = "";
  seat: number | null = null;
  /** where it was made */
  cells: readonly string[] = [];
  comment = "";
  children: Node[] = [];

  constructor(text: string, parent: Node | null) {
    this.text = text;
    this.parent = parent;
  }
  get path(): Node[] {
    if (!this.parent) return [];
    return [...this.parent.path, this];
  }
  get ply(): number {
    return this.path.length;
  }
  child(text: string): Node | undefined {
    return this.children.find((node) => node.text === text);
  }
  grow(text: string): Node {
    const known = this.child(text);
    if (known) return known;
    const made = new Node(text, this);
    this.children.push(made);
    return made;
  }
}

interface Kept {
  source: string;
  start: string;
  tree: Kernel[];
  at: string[];
}
interface Kernel {
  t: string;
  c?: Kernel[];
}
const KEY = "tercet.study";

function plant(root: Node, line: readonly Twig[]): void {
  let at = root;
  for (const twig of line) {
    const from = at;
    at = from.grow(twig.text);
    at.comment = twig.comment ?? "";
    for (const other of twig.variations ?? []) plant(from, other);
  }
}

export class Study {
  table = $state.raw<TableData | null>(null);
  view = $state.raw<View | null>(null);
  root = $state.raw(new Node("", null));
  here = $state.raw<Node>(this.root);
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
        const root = new Node("", null);
        const tree = found.tree as Twig[] | undefined;
        plant(root, Array.isArray(tree) ? tree : found.moves.map((move) => ({ text: move.text })));
        await this.#open(found.start, root);
        let node = root;
        for (let i = 0; i < (at ?? Infinity) && node.children[0]; i++) node = node.children[0];
        await this.go(node);
        await this.#nameAll();
      } else {
        const found = await api.analyse(from, []);
        this.#adopt(found.start, new Node("", null), found);
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
      const root = new Node("", null);
      const grow = (node: Node, items: readonly Kernel[]): void => {
        for (const item of items) grow(node.grow(item.t), item.c ?? []);
      };
      grow(root, kept.tree);
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
    const pack = (nodes: readonly Node[]): Kernel[] =>
      nodes.map((node) => (node.children.length ? { t: node.text, c: pack(node.children) } : { t: node.text }));
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

  async #open(start: string, root: Node): Promise<void> {
    const found = await api.analyse({ position: start }, []);
    this.#adopt(start, root, found);
  }

  #adopt(start: string, root: Node, found: Analysed): void {
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

  #name(node: Node, found: Analysed): void {
    node.path.forEach((step, i) => {
      const told = found.nodes[i];
      if (!told) return;
      step.short = told.short || told.text;
      step.says = told.says;
      step.seat = told.seat ?? null;
      step.cells = told.cells;
    });
  }

  async #fetch(node: Node): Promise<{ view: View; record: string }> {
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
    const ends: Node[] = [];
    const walk = (node: Node): void => {
      if (!node.children.length) ends.push(node);
      node.children.forEach(walk);
    };
    walk(this.root);
    for (const end of ends.slice(0, 30)) {
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

  async go(node: Node): Promise<void> {
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
    const made: Node[] = [];
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
      const first = made[0];
      if (first?.parent) first.parent.children = first.parent.children.filter((child) => child !== first);
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
    here.parent.children = here.parent.children.filter((node) => node !== here);
    await this.go(here.parent);
  }
  /** Make the line that leads here the main line. */
  promote(): void {
    for (const node of this.here.path) {
      const parent = node.parent;
      if (parent) parent.children = [node, ...parent.children.filter((other) => other !== node)];
    }
    this.version++;
    this.#keep();
  }
}

/** The engine that looks at whatever position is shown. */
export class Analyst {
  info = $state.raw<Info | null>(null);
  thinking = $state(false);
  fault = $state("");
  #socket: WebSocket | null = null;
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
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/analysis`);
    this.#socket = socket;
    socket.onopen = () => this.#ask();
    socket.onmessage = (message: MessageEvent<string>) => {
      const told = JSON.parse(message.data) as { type: string; id?: string; why?: string } & Info;
      if (told.id !== this.#asked) return;
      if (told.type === "info") this.info = told;
      else if (told.type === "done") this.thinking = false;
      else if (told.type === "error") {
        this.thinking = false;
        this.fault = told.why ?? "The engine cannot look at this.";
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
