import { expect, test } from "vitest";
import { threatArrows, threatening } from "../src/analysis/threats.svelte";
import type { Exploration, Threat } from "../src/lib/types";

const question = (id: string, threatens: boolean): Exploration => ({
  id,
  title: id,
  help: "",
  needs: "position",
  live: true,
  threatens,
});
const threat = (...cells: string[]): Threat => ({ player: 0, cells, says: "" });

test("threats are asked where the game has the question and it can be asked here", () => {
  const all = [question("other", false), question("danger", true)];
  expect(threatening(all, null)?.id).toBe("danger");
  expect(threatening(all, ["danger"])?.id).toBe("danger");
  expect(threatening(all, ["other"])).toBeNull();
  expect(threatening([question("other", false)], null)).toBeNull();
  expect(threatening(undefined, null)).toBeNull();
});

test("a threat is an arrow from its first cell to its last, or a mark on its only one", () => {
  expect(threatArrows([threat("a1", "b1", "c1"), threat("d1")])).toEqual([
    { cells: ["a1", "c1"], threat: true },
    { cells: ["d1"], threat: true },
  ]);
  expect(threatArrows(Array.from({ length: 20 }, () => threat("a1", "b1")))).toHaveLength(6);
});
