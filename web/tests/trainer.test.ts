import { describe, expect, it } from "vitest";
import type { MotifData } from "../src/lib/types";
import { comesBack, countOf, nextDue } from "../src/puzzles/trainer.svelte";

const DAY = 86_400_000;
const motif = (state: MotifData["state"], fresh: number, due: number | null): MotifData => ({
  id: `sanqi/${state}${fresh}`,
  game: "sanqi",
  title: "",
  says: "",
  state,
  reviews: 1,
  recall: 1,
  due,
  fresh,
});

describe("when a motif comes back", () => {
  it("is said in days, which begin at midnight UTC", () => {
    const now = 20_000 * DAY + 23 * 3_600_000;
    expect(comesBack(20_001 * DAY, now)).toBe("tomorrow");
    expect(comesBack(20_012 * DAY, now)).toBe("in 12 days");
    expect(comesBack(19_990 * DAY, now)).toBe("today");
  });
});

describe("what there is to train", () => {
  const motifs = [
    motif("due", 0, 1),
    motif("due", 3, 2),
    motif("new", 4, null),
    motif("holds", 2, 9),
    motif("holds", 0, 3),
  ];
  it("counts motifs that have puzzles left", () => {
    expect(countOf(motifs, "due")).toBe(1);
    expect(countOf(motifs, "new")).toBe(1);
  });
  it("comes next with the first of them", () => {
    expect(nextDue(motifs)).toBe(2);
    expect(nextDue(motifs.slice(3))).toBe(9);
    expect(nextDue(motifs.slice(4))).toBeNull();
  });
});
