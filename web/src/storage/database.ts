/** Storage of the worker: texts by key, in IndexedDB. */

/** Why data is not stored: the browser refuses, or the disk is full; the last two are about the site's own files. */
export type Trouble = "unkept" | "full" | "noRoom" | "notKept";

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

/** What the browser does not store lasts as long as the worker. */
export class Store {
  /** texts that are not stored yet */
  readonly #unkept = new Map<string, string>();
  #troubled = false;
  readonly #database: Promise<IDBDatabase | null>;

  /** `report` is called with what keeps texts from being stored, and with null once they all are. */
  constructor(private readonly report: (trouble: Trouble | null) => void = () => undefined) {
    this.#database = Promise.resolve()
      .then(opened)
      .catch(() => (this.#say("unkept"), null));
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
    this.#unkept.set(key, text);
    const texts = [...this.#unkept]; // with those that could not be stored before
    try {
      const shelf = await this.#shelf("readwrite");
      if (!shelf) throw new DOMException("", "InvalidStateError");
      for (const [each, unkept] of texts) shelf.put(unkept, each);
      await written(shelf.transaction);
      for (const [each, kept] of texts) if (this.#unkept.get(each) === kept) this.#unkept.delete(each);
      if (this.#troubled && !this.#unkept.size) this.#say(null);
      return true;
    } catch (error) {
      this.#say(error instanceof DOMException && error.name === "QuotaExceededError" ? "full" : "unkept");
      return false;
    }
  }
  /** Forget the text of a key. */
  async remove(key: string): Promise<void> {
    this.#unkept.delete(key);
    const shelf = await this.#shelf("readwrite");
    shelf?.delete(key);
    if (shelf) await written(shelf.transaction);
  }
  #say(trouble: Trouble | null): void {
    this.#troubled = trouble !== null;
    this.report(trouble);
  }

  /** Return the keys that begin with `prefix`. */
  async list(prefix = ""): Promise<string[]> {
    const shelf = await this.#shelf("readonly");
    const kept = shelf ? ((await settled(shelf.getAllKeys())) as string[]) : [];
    return [...new Set([...kept, ...this.#unkept.keys()])].filter((key) => key.startsWith(prefix)).sort();
  }
}
