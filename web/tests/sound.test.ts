import { expect, test } from "vitest";
import { score, soundOf } from "../src/lib/sound";
import { art } from "./boards";

test("a game says what its events sound like; the rest are moves where anything happens on cells", () => {
  const heard = (kind: string, cells: string[] = ["a1"]) => soundOf(art.sounds, { kind, cells });
  expect(["eaten", "dreamt", "walked", "ended"].map((kind) => heard(kind))).toEqual([
    "capture",
    "silent",
    "move",
    "end",
  ]);
  expect(heard("said", [])).toBe("silent");
});

test("each cell gained is heard, however many; what is long is shortened in time", () => {
  const chain = Array.from({ length: 69 }, (_, i) => [
    { kind: "dreamt", cells: [`a${i}`] },
    { kind: "eaten", cells: [`a${i}`] },
    { kind: "dreamt", cells: [`a${i}`] },
  ]).flat();
  const { heard, gap } = score(chain, art.sounds, 320);
  expect(heard.filter((sound) => sound === "capture")).toHaveLength(69);
  expect(heard).toHaveLength(69);
  expect(gap * heard.length).toBeLessThanOrEqual(5000);
  expect(score(chain.slice(0, 9), art.sounds, 130).gap).toBe(130);
});
