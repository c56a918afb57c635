import { expect, test } from "vitest";
import { soundOf } from "../src/lib/sound";
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
