/** What modules expect of a browser when they are loaded: a place to keep settings, and texts to speak with. */
class MemoryStorage {
  readonly #kept = new Map<string, string>();
  getItem = (key: string): string | null => this.#kept.get(key) ?? null;
  setItem = (key: string, value: string): void => void this.#kept.set(key, value);
  removeItem = (key: string): void => void this.#kept.delete(key);
  clear = (): void => this.#kept.clear();
}
Object.assign(globalThis, { localStorage: new MemoryStorage(), sessionStorage: new MemoryStorage() });
const [{ speak }, { en }] = await Promise.all([import("../src/words/words"), import("../src/words/en")]);
speak(en, "en");
export {};
