import { expect, test } from "vitest";
import { bow } from "../src/lib/transfers";

test("counters fly beside cards that stand above each other, and below cards that stand beside each other", () => {
  expect(bow(10, 200)[0]).toBeLessThan(0);
  expect(bow(10, 200)[1]).toBe(0);
  expect(bow(-200, 10)[0]).toBe(0);
  expect(bow(-200, 10)[1]).toBeGreaterThan(0);
});
