import { describe, expect, it } from "vitest";
import { clockWords, rulesFrom, rulesWish, wholeTens } from "../src/lobby/tableRules";

describe("what is settled about a table", () => {
  it("has the takebacks of the game where nothing was chosen before", () => {
    expect(rulesFrom(undefined, 3, "own").takebacks).toBe("own");
    expect(rulesFrom({ takebacks: "off" }, 3, "own").takebacks).toBe("off");
    expect(rulesFrom(undefined, 2).takebacks).toBe("consent");
  });

  it("lets players explore unless that was put off", () => {
    expect(rulesWish(rulesFrom(undefined, 2), false, false).explore).toBeUndefined();
    expect(rulesWish(rulesFrom({ explore: false }, 2), false, false).explore).toBe(false);
  });

  it("has a clock of any multiple of ten minutes a move", () => {
    expect([7, 14, 20, 99999, NaN].map(wholeTens)).toEqual([10, 10, 20, 1440, 10]);
    const rules = { ...rulesFrom({ clock: "move" }, 3), minutes: 40 };
    expect(rulesWish(rules, false, false).clock).toEqual({ kind: "move", minutes: 40 });
    expect(clockWords(rules)).toBe("40 minutes per move");
    expect(rulesWish({ ...rules, clock: "egg" }, false, false).clock).toEqual({ kind: "turn", seconds: 180 });
  });
});
