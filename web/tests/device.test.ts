import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Backend } from "../src/lib/backend";
import { Store } from "../src/storage/database";
import { said, type DeviceKey } from "../src/words/device";
import { LANGUAGES } from "../src/words/words";

const told: (string | null)[] = [];
beforeEach(() => {
  told.length = 0;
  vi.resetModules();
});
afterEach(() => vi.unstubAllGlobals());

/** A database with one text, whose disk is full. */
const full = {
  open() {
    const later = (request: { onsuccess?: () => void }): object => (
      queueMicrotask(() => request.onsuccess?.()),
      request
    );
    const shelf = {
      get: (key: string) => later({ result: key === "old" ? "kept" : undefined } as object),
      getAllKeys: () => later({ result: ["old"] } as object),
      put: () => undefined,
      get transaction() {
        const made = {
          error: new DOMException("", "QuotaExceededError"),
          onabort: undefined as (() => void) | undefined,
        };
        queueMicrotask(() => made.onabort?.());
        return made;
      },
    };
    return later({ result: { transaction: () => ({ objectStore: () => shelf }) } } as object);
  },
};

test("where nothing can be kept it lasts as long as the page, and that is told", async () => {
  const store = new Store((trouble) => told.push(trouble));
  await store.put("game/1", "one");
  expect(await store.get("game/1")).toBe("one");
  expect(await store.get("game/2")).toBeUndefined();
  expect(await store.list("game/")).toEqual(["game/1"]);
  expect(told).toContain("unkept");
});

test("a full disk is told, and what was kept stays", async () => {
  vi.stubGlobal("indexedDB", full);
  const store = new Store((trouble) => told.push(trouble));
  await store.put("new", "one");
  expect(told).toEqual(["full"]);
  expect(await store.get("new")).toBe("one");
  expect(await store.get("old")).toBe("kept");
  expect((await store.list()).sort()).toEqual(["new", "old"]);
});

test("every text about the device has the same places in each language", () => {
  const holes = (key: DeviceKey, language: string): string[] =>
    [...said(key, language).matchAll(/\{\w+\}/g)].map(String).sort();
  for (const key of ["missing", "broken", "keeping", "ownCount", "ownAdded", "ownUnread", "ownLoaded"] as const) {
    expect(holes(key, "en")).not.toEqual([]);
    for (const [language] of LANGUAGES) expect(holes(key, language)).toEqual(holes(key, "en"));
  }
  expect(said("missing", "de", { detail: "x.wasm" })).toContain("x.wasm");
});

test("on a site the page's paths stand behind #", async () => {
  const pushed: string[] = [];
  vi.stubGlobal("addEventListener", () => undefined);
  vi.stubGlobal("scrollTo", () => undefined);
  vi.stubGlobal("location", new URL("https://host.example/tercet/#/analysis?game=x#study"));
  vi.stubGlobal("history", { pushState: (_state: null, _title: string, address: string) => pushed.push(address) });
  vi.stubGlobal("tercetBackend", { root: "#", people: false } as Partial<Backend> as Backend);
  const { go, route } = await import("../src/lib/router.svelte");
  expect(route).toEqual({ path: "/analysis", search: "?game=x", hash: "#study" });
  go("/learn/x");
  expect(pushed).toEqual(["#/learn/x"]);
  const { addressOf } = await import("../src/lib/backend");
  expect(addressOf("/rules")).toBe("https://host.example/tercet/#/rules");
});
