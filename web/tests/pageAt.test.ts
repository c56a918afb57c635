import { expect, test } from "vitest";
import { pageAt } from "../src/app/pageAt";
import { PAGES } from "../src/lib/pages.generated";

test("every address of the list leads to its page, with what it names", () => {
  for (const [address, page] of Object.entries(PAGES)) {
    const found = pageAt(address.replaceAll(/[{}]/g, ""));
    expect(found?.page).toBe(page);
    const names = [...address.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
    expect(found?.given).toEqual(Object.fromEntries(names.map((name) => [name, name])));
  }
});

test("what a page is asked for is in its address", () => {
  expect(pageAt("/rules/sparklies/kingdom")).toEqual({ page: "rules", given: { game: "sparklies", skin: "kingdom" } });
  expect(pageAt("/@ada")).toEqual({ page: "profile", given: { handle: "ada" } });
  expect(pageAt("/puzzles/daily")).toEqual({ page: "puzzles", given: {} });
  expect(pageAt("/learn/")?.page).toBe("learn");
});

test.each(["/nowhere", "/t", "/moments", "/@", "/rules/a/b/c", "/account/x", "/analysis/1/2", "/tournaments/a/b"])(
  "there is no page at %s",
  (path) => expect(pageAt(path)).toBeNull(),
);
