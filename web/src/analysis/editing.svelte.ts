/** A position that is set up by hand: what is on each cell, and its other fields. The server judges it. */
import { announce, wordsOf } from "../lib/announce.svelte";
import { ask, ServerError, type Given } from "../lib/api";
import { rename } from "../lib/router.svelte";
import type { Content, Edited, EditorData, Piece } from "../lib/types";
import { enumerated, t } from "../words/words";

type Start = Pick<Given<"POST /api/edit">, "game" | "options" | "position">;
type Cells = readonly (readonly string[])[];
interface Step {
  cells: Cells;
  fields: Edited["fields"];
}
/** The content that a press puts on a cell, in one of its layers. */
export interface Tool {
  layer: number;
  content: Content;
}

export class Editing {
  editor = $state.raw<EditorData | null>(null);
  cells = $state.raw<Cells>([]);
  fields = $state.raw<Edited["fields"]>({});
  position = $state("");
  /** what is shown of a legal position */
  view = $state.raw<Edited["view"]>(null);
  error = $state.raw<Edited["error"]>(null);
  /** why nothing could be opened, or the options are refused */
  fault = $state.raw<{ where: string; why: string } | null>(null);
  tool = $state.raw<Tool | null>(null);
  readonly eraser = $derived(this.#tools.find((tool) => tool.content.clears) ?? null);
  readonly names = $derived(this.editor?.table.board.cells.map((cell) => cell.name) ?? []);
  readonly pieces = $derived(this.names.flatMap((name, i) => this.#piece(name, this.cells[i] ?? [])));
  /** the last changes */
  #steps = $state.raw<readonly Step[]>([]);
  readonly undoable = $derived(this.#steps.length > 0);
  #asked = 0;
  /** until the last change is judged */
  judged: Promise<unknown> = Promise.resolve();

  get #tools(): Tool[] {
    return this.editor?.layers.flatMap((contents, layer) => contents.map((content) => ({ layer, content }))) ?? [];
  }

  /** Begin with a position, or with the start of a game. Return whether there is one. */
  async open(from: Start): Promise<boolean> {
    return this.#ask({ ...from, whole: true });
  }
  /** Set the options of the game. What is set up stays, as far as the board is the same. */
  async setOptions(options: NonNullable<Start["options"]>): Promise<boolean> {
    const { game } = this.editor?.table ?? {};
    return this.#ask({ game, options, cells: this.cells, fields: this.fields, whole: true });
  }

  async #ask(given: Given<"POST /api/edit">): Promise<boolean> {
    const asked = ++this.#asked;
    try {
      const made = await ask("POST /api/edit", given);
      if (asked !== this.#asked) return true;
      if (made.editor) this.#adopt(made.editor, made);
      [this.position, this.view, this.error, this.fault] = [made.position, made.view, made.error, null];
      if (made.view) rename(`/editor?${new URLSearchParams({ position: made.position })}`);
      return true;
    } catch (error) {
      const where = error instanceof ServerError ? error.where : "";
      if (asked === this.#asked) this.fault = { where, why: wordsOf(error) };
      if (!given.whole) this.view = null;
      return false;
    }
  }
  #adopt(editor: EditorData, { cells, fields }: Edited): void {
    const { tool } = this;
    const same = editor.table.game === this.editor?.table.game && cells.length === this.cells.length;
    this.#steps = same ? [...this.#steps, { cells: this.cells, fields: this.fields }] : [];
    [this.editor, this.cells, this.fields] = [editor, cells, fields];
    const kept = this.#tools.find((one) => one.layer === tool?.layer && one.content.text === tool.content.text);
    this.tool = kept || (this.#tools.find((one) => !one.content.clears) ?? null);
  }

  #change(cells: Cells, fields = this.fields): void {
    const { game, options } = this.editor?.table ?? {};
    this.#steps = [...this.#steps, { cells: this.cells, fields: this.fields }];
    [this.cells, this.fields] = [cells, fields];
    this.judged = this.#ask({ game, options, cells, fields, whole: false });
  }
  undo(): void {
    const last = this.#steps.at(-1);
    if (!last) return;
    const before = this.#steps.slice(0, -1);
    this.#change(last.cells, last.fields);
    this.#steps = before;
  }

  /** Return a cell's contents after a press with `tool`. */
  #with(contents: readonly string[], { layer, content }: Tool): string[] {
    const layers = this.editor?.layers ?? [];
    return contents.map((text, i) =>
      i === layer ? content.text : i > layer && content.clears ? (layers[i]?.[0]?.text ?? "") : text,
    );
  }
  put(name: string, tool = this.tool): void {
    if (!tool) return;
    this.#change(this.cells.map((contents, i) => (this.names[i] === name ? this.#with(contents, tool) : contents)));
    const piece = this.pieces.find(({ cell }) => cell === name);
    announce(piece ? t("option.is", { title: name, value: piece.says }) : t("board.empty", { cell: name }));
  }
  erase(name: string): void {
    if (this.eraser) this.put(name, this.eraser);
  }
  clear(): void {
    const { eraser } = this;
    if (eraser) this.#change(this.cells.map((contents) => this.#with(contents, eraser)));
  }
  set(field: string, value: unknown): void {
    this.#change(this.cells, { ...this.fields, [field]: value });
  }
  movable = (name: string): boolean => {
    const contents = this.cells[this.names.indexOf(name)];
    return !!contents && !!this.eraser && this.#with(contents, this.eraser).join() !== contents.join();
  };
  /** Move what is on a cell to another. */
  drag(from: string, to: string): void {
    const moved = this.cells[this.names.indexOf(from)];
    const { eraser } = this;
    if (!moved || !eraser) return;
    this.#change(
      this.cells.map((contents, i) =>
        this.names[i] === to ? moved : this.names[i] === from ? this.#with(contents, eraser) : contents,
      ),
    );
  }

  /** Return what is drawn on a cell: nothing without a symbol. */
  #piece(cell: string, texts: readonly string[]): Piece[] {
    const layers = this.editor?.layers ?? [];
    const contents = texts.map((text, i) => layers[i]?.find((content) => content.text === text));
    const symbol = contents.find((content) => content?.symbol)?.symbol;
    if (!symbol) return [];
    const said = contents.filter((content, i) => i === 0 || content !== layers[i]?.[0]);
    return [
      {
        cell,
        symbol,
        says: enumerated(said.map((content) => content?.label)),
        owner: contents.find((content) => content?.owner != null)?.owner ?? null,
        flags: contents.flatMap((content) => (content?.flag ? [content.flag] : [])),
      },
    ];
  }

  /** Return why a field is refused; of the parts of a field, the first says so. */
  faultOf(name: string): string {
    const at = this.editor?.fields.find((field) => field.name.split(".")[0] === this.error?.where);
    return at?.name === name ? (this.error?.why ?? "") : "";
  }
  /** the cell that is refused */
  readonly wrong = $derived(/^cell (\S+)$/.exec(this.error?.where ?? "")?.[1] ?? null);
}
