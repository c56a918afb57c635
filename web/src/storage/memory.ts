/** Replaces storage that the browser refuses to the page, so that its texts last until it is closed. Loaded first. */
export {};

class MemoryStorage implements Storage {
  readonly #texts: Map<string, string>;
  constructor(texts: Iterable<[string, string]>) {
    this.#texts = new Map(texts);
  }
  get length(): number {
    return this.#texts.size;
  }
  key(index: number): string | null {
    return [...this.#texts.keys()][index] ?? null;
  }
  getItem(key: string): string | null {
    return this.#texts.get(key) ?? null;
  }
  setItem(key: string, text: string): void {
    this.#texts.set(key, String(text));
  }
  removeItem(key: string): void {
    this.#texts.delete(key);
  }
  clear(): void {
    this.#texts.clear();
  }
}

for (const name of ["localStorage", "sessionStorage"] as const) {
  let texts: [string, string][] = [];
  try {
    const storage = globalThis[name];
    texts = Object.entries(storage);
    storage.setItem("tercet.probe", "");
    storage.removeItem("tercet.probe");
  } catch {
    Object.defineProperty(globalThis, name, { value: new MemoryStorage(texts), configurable: true });
  }
}
