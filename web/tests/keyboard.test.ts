import { expect, test } from "vitest";
import { layout } from "../src/board/geometry";
import { BoardWalk, centreOf } from "../src/board/keyboard";
import { keyOf, pressed } from "../src/board/shortcuts";
import { squares, table } from "./boards";

const board = squares(3);
const { at, cells } = layout(board, { angle: 0, flipped: false }, false);
const plain = { shiftKey: false, altKey: false, ctrlKey: false, metaKey: false };
const press = (key: string, cell = "b2", more = {}) => {
  const from = at.get(cell);
  return from && new BoardWalk().press({ key, ...plain, ...more }, from, board, cells);
};

test("arrows walk, and stop at the edge", () => {
  expect(press("ArrowUp")).toEqual({ kind: "walk", to: "b3" });
  expect(press("ArrowLeft", "a2")).toEqual({ kind: "walk", to: null });
});

test("Enter and Space choose, with Shift they open what is at the cell", () => {
  expect(press("Enter")).toEqual({ kind: "choose" });
  expect(press(" ")).toEqual({ kind: "choose" });
  expect(press("Enter", "b2", { shiftKey: true })).toEqual({ kind: "long" });
});

test("other keys and chords are left to others", () => {
  expect(press("x")).toBeNull();
  expect(press("ArrowUp", "b2", { ctrlKey: true })).toBeNull();
});

test("the keyboard enters at the cell nearest to the middle", () => {
  expect(
    centreOf([
      { name: "far", x: 3, y: 3 },
      { name: "near", x: 0.4, y: 0 },
    ]),
  ).toBe("near");
  expect(centreOf([])).toBeNull();
});

test("keys anywhere: picks before gestures, nothing while one types", () => {
  const on = (selector: string) => ({ closest: (asked: string) => (asked.includes(selector) ? {} : null) });
  const key = (name: string, code = "") => ({ key: name, code, defaultPrevented: false, ...plain });
  const gesture = {
    id: "all",
    title: "All",
    says: "",
    trigger: "button" as const,
    cells: [],
    actions: ["a"],
    key: "g",
    at: "",
  };
  const now = { pending: false, picks: table.picks, gestures: [gesture] };
  const nowhere = { closest: () => null };
  expect(pressed(key("X"), nowhere, now)).toEqual({ kind: "pick", pick: table.picks[0] });
  expect(pressed(key("g"), nowhere, now)).toEqual({ kind: "gesture", gesture });
  expect(pressed(key("п", "KeyG"), nowhere, now)).toEqual({ kind: "gesture", gesture });
  expect(pressed(key("x"), on("input"), now)).toBeNull();
  expect(pressed(key("Enter"), nowhere, now)).toBeNull();
  expect(pressed(key("Enter"), nowhere, { ...now, pending: true })).toEqual({ kind: "play" });
  expect(pressed(key("Enter"), on("button"), { ...now, pending: true })).toBeNull();
  expect(pressed(key("Escape"), nowhere, now)).toEqual({ kind: "cancel" });
});

test("keys are letters of the layout, and where these are not Latin, those at their places", () => {
  const layouts = [
    ["к", "KeyR", "r"], // Russian
    ["К", "KeyR", "r"],
    ["ρ", "KeyR", "r"], // Greek
    ["ר", "KeyR", "r"], // Hebrew
    ["ق", "KeyR", "r"], // Arabic
    ["б", "Comma", ","],
    ["ю", "Period", "."],
    ["y", "KeyZ", "y"], // QWERTZ
    ["a", "KeyQ", "a"], // AZERTY
    ["é", "Digit2", "é"],
    ["r", "KeyO", "r"], // Dvorak
    ["/", "Backslash", "/"],
    ["ArrowLeft", "ArrowLeft", "ArrowLeft"],
  ];
  expect(layouts.map(([key = "", code = ""]) => keyOf({ key, code }))).toEqual(layouts.map(([, , wanted]) => wanted));
});
