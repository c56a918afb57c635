import { beforeEach, expect, test, vi } from "vitest";

/** The settings as a page that is loaded now finds them. */
async function loaded() {
  vi.resetModules();
  return import("../src/lib/settings.svelte");
}
beforeEach(() => localStorage.clear());

test("what is kept is found again, and what is new has its default", async () => {
  localStorage.setItem("tercet.settings", JSON.stringify({ theme: "dark" }));
  const first = await loaded();
  expect(first.settings).toMatchObject({ theme: "dark", pace: "normal" });
  first.settings.pace = "slow";
  first.keep();
  expect((await loaded()).settings.pace).toBe("slow");
});

test("what cannot be read is as if nothing had been kept", async () => {
  localStorage.setItem("tercet.settings", "{");
  expect((await loaded()).settings.theme).toBe("auto");
});

test("a table may ask for confirmation where the person has not decided", async () => {
  const { confirms, settings } = await loaded();
  expect([confirms(), confirms(true)]).toEqual([false, true]);
  settings.confirm = "never";
  expect(confirms(true)).toBe(false);
  settings.confirm = "always";
  expect(confirms()).toBe(true);
});

test("without motion a chain takes no time", async () => {
  const { pace, settings, still } = await loaded();
  expect(pace()).toBe(130);
  settings.motion = "less";
  expect(still()).toBe(true);
  expect(pace()).toBe(0);
});
