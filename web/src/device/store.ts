/** Storage of the worker: texts by key, in IndexedDB. */
import type { Trouble } from "../lib/device";

const NAME = "tercet";
const SHELF = "kept";

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error ?? new Error(SHELF));
  });

/** Wait until a transaction has written its data: a full disk fails only here. */
const written = (transaction: IDBTransaction): Promise<void> =>
  new Promise((done, failed) => {
    transaction.oncomplete = () => done();
    transaction.onabort = () => failed(transaction.error ?? new Error(SHELF));
  });

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(SHELF);
  return settled(request);
}

/** If the browser stores nothing, texts last as long as the worker, and `report` is called. */
export class Store {
  readonly #unkept = new Map<string, string>();
  readonly #database: Promise<IDBDatabase | null>;
  readonly #report: (trouble: Trouble) => void;

  constructor(report: (trouble: Trouble) => void = () => undefined) {
    this.#report = report;
    this.#database = Promise.resolve()
      .then(opened)
      .catch(() => (report("unkept"), null));
  }

  async #shelf(mode: IDBTransactionMode): Promise<IDBObjectStore | undefined> {
    return (await this.#database)?.transaction(SHELF, mode).objectStore(SHELF);
  }

  /** Return the text of a key, or undefined (Python's None). */
  async get(key: string): Promise<string | undefined> {
    if (this.#unkept.has(key)) return this.#unkept.get(key);
    const shelf = await this.#shelf("readonly");
    return shelf && settled(shelf.get(key) as IDBRequest<string | undefined>);
  }

  /** Store a text, and return whether it outlives the page. */
  async put(key: string, text: string): Promise<boolean> {
    try {
      const shelf = await this.#shelf("readwrite");
      if (!shelf) throw new DOMException("", "InvalidStateError");
      shelf.put(text, key);
      await written(shelf.transaction);
      this.#unkept.delete(key);
      return true;
    } catch (error) {
      this.#unkept.set(key, text);
      this.#report(error instanceof DOMException && error.name === "QuotaExceededError" ? "full" : "unkept");
      return false;
    }
  }

  /** Return the keys that begin with `prefix`. */
  async list(prefix = ""): Promise<string[]> {
    const shelf = await this.#shelf("readonly");
    const kept = shelf ? ((await settled(shelf.getAllKeys())) as string[]) : [];
    return [...new Set([...kept, ...this.#unkept.keys()])].filter((key) => key.startsWith(prefix)).sort();
  }
}
