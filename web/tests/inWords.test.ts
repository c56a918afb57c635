import { expect, test } from "vitest";
import { inWords } from "../src/lib/moves";

test("a long turn is summed up, and a short turn is described action by action", () => {
  const move = (says: string, begins: boolean, brief: string | null = null) => ({ says, begins, brief });
  const short = [move("Black claims a1.", true), move("a1 stays red.", false)];
  const long = [move("White claims b1.", true), move("b1 stays red.", false), move("b2 stays red.", false, "Chain 1.")];
  expect(inWords([...short, ...long, move("b3 stays red.", false, "Chain 2.")])).toBe(
    "Black claims a1. a1 stays red. Chain 2.",
  );
  expect(inWords([...long, ...short])).toBe("Chain 1. Black claims a1. a1 stays red.");
  expect(inWords([move("", true)])).toBe("");
});
