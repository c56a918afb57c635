/** The site's files have the answers that the first page and a first table ask for: the page does not wait for Python. */
import type { Store } from "../storage/database";

/** A table that a button of the first page opens. */
interface Opening {
  /** the answer to the request */
  answer: string;
  /** what the first snapshots of all its starts have in common */
  shared: object;
  /** by start of the game: what is stored of the table, and the rest of its first snapshot */
  starts: { stored: object; shown: object }[];
}
interface Recording {
  answers?: Record<string, string>;
  tables?: Record<string, Opening>;
}
const HOLE = "@TABLE@"; // stands for the id of a table, and for the tokens of its seats
const KEY = "table/"; // of a stored table

export class Recorded {
  readonly #files = new Map<string, Promise<Recording>>();
  readonly #snapshots = new Map<string, string>();

  /** `spoken` is the language that is probably asked for. */
  constructor(
    private readonly build: string,
    spoken: string,
  ) {
    void this.#file(`answers-${spoken}`);
  }
  #file(name: string): Promise<Recording> {
    const found =
      this.#files.get(name) ??
      fetch(this.build.replace("build", name))
        .then((answer) => answer.json() as Promise<Recording>)
        .catch(() => ({}));
    this.#files.set(name, found);
    return found;
  }

  /** Return the recorded answer to a request. A table is put into the `store`, and opened only if that succeeds. */
  async answer(asked: string, spoken: string, store: Store | null): Promise<Response | null> {
    const first = await this.#file(`answers-${spoken}`);
    const more = this.#file(`tables-${spoken}`);
    const known = first.answers?.[asked] ?? (await more).answers?.[asked];
    if (known) return new Response(known);
    const opening = (await more).tables?.[asked];
    return opening && store ? this.#opened(opening, store) : null;
  }

  async #opened({ answer, shared, starts }: Opening, store: Store): Promise<Response | null> {
    const start = starts[Math.floor(Math.random() * starts.length)];
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    const id = `own${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
    if (!start || !(await store.put(KEY + id, JSON.stringify({ ...start.stored, opened: Date.now() / 1000 }))))
      return null;
    this.#snapshots.set(id, JSON.stringify({ ...shared, ...start.shown }).replaceAll(HOLE, id));
    return new Response(answer.replaceAll(HOLE, id), { status: 201 });
  }

  /** Return the first snapshot of a table that was opened so, by the path of its socket. */
  snapshot(path: string): string | undefined {
    return this.#snapshots.get(/^\/api\/tables\/(\w+)\/live/.exec(path)?.[1] ?? "");
  }
}

/** Return whether two messages say the same, however their texts are written. */
export const sameMessage = (one: string, other: string): boolean =>
  JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
