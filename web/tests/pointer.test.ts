import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PointerInput, type Pointed, type PointerHost } from "../src/board/pointer";
import { WHOLE } from "../src/board/viewport";

/** Cells are 20 pixels wide, in one row: c0, c1, ... */
const cellAt = (x: number): string | null => (x < 0 ? null : `c${Math.floor(x / 20)}`);
const host = {
  cellAt: vi.fn(cellAt),
  zoom: vi.fn(() => WHOLE),
  scale: () => 10,
  pan: vi.fn(),
  zoomAt: vi.fn(),
  draggable: vi.fn(() => true),
  hover: vi.fn(),
  choose: vi.fn(),
  drag: vi.fn(),
  long: vi.fn(),
} satisfies PointerHost;
let pointer: PointerInput;
const at = (x: number, more: Partial<Pointed> = {}): Pointed => ({
  pointerId: 1,
  pointerType: "touch",
  button: 0,
  clientX: x,
  clientY: 0,
  type: "pointer",
  ...more,
});

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  host.zoom.mockReturnValue(WHOLE);
  host.draggable.mockReturnValue(true);
  host.cellAt.mockImplementation(cellAt);
  pointer = new PointerInput(host);
});
afterEach(() => {
  vi.useRealTimers();
});

test("a press and a lift on one cell choose it", () => {
  pointer.down(at(5));
  pointer.move(at(8));
  pointer.up(at(8));
  expect(host.choose.mock.calls).toEqual([["c0"]]);
});

test("from one cell to another is a drag", () => {
  pointer.down(at(5));
  pointer.move(at(45));
  pointer.up(at(45));
  expect(host.drag.mock.calls).toEqual([["c0", "c2"]]);
  expect(host.choose).not.toHaveBeenCalled();
});

test("a finger that slips off a cell that cannot be dragged chooses where it ends, a mouse nothing", () => {
  host.draggable.mockReturnValueOnce(false);
  pointer.down(at(5));
  pointer.move(at(30));
  pointer.up(at(30));
  expect(host.choose.mock.calls).toEqual([["c1"]]);
  host.draggable.mockReturnValue(false);
  pointer.down(at(5, { pointerType: "mouse" }));
  pointer.move(at(30, { pointerType: "mouse" }));
  pointer.up(at(30, { pointerType: "mouse" }));
  expect(host.choose).toHaveBeenCalledTimes(1);
  host.draggable.mockReturnValue(true);
});

test("a long press is answered once, and its lift is not a choice", () => {
  pointer.down(at(5));
  vi.advanceTimersByTime(479);
  expect(host.long).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2); // the second timer lets a lift that waits come first
  expect(host.long.mock.calls).toEqual([["c0", 5, 0]]);
  expect(pointer.answered).toBe(true);
  pointer.up(at(5));
  expect(host.choose).not.toHaveBeenCalled();
});

test("a finger that moves does not press long", () => {
  pointer.down(at(5));
  pointer.move(at(25));
  vi.advanceTimersByTime(1000);
  expect(host.long).not.toHaveBeenCalled();
});

test("two fingers zoom by how far they go apart, about the point between them", () => {
  pointer.down(at(0));
  pointer.down(at(100, { pointerId: 2 }));
  pointer.move(at(200, { pointerId: 2 }));
  expect(host.zoomAt).toHaveBeenLastCalledWith(2, 100, 0);
  pointer.up(at(200, { pointerId: 2 }));
  pointer.up(at(0));
  expect(host.choose).not.toHaveBeenCalled();
});

/** Pixels moved, whether the board is zoomed and whether a piece can be dragged; what a finger or pen does, and a mouse. */
const MOVES: [number, boolean, boolean, string, string][] = [
  [3, false, false, "choose c2", "choose c2"],
  [3, true, true, "choose c2", "choose c2"],
  [8, false, false, "choose c3", "nothing"], // a still finger over the edge of a cell
  [30, false, false, "choose c4", "nothing"],
  [70, false, false, "nothing", "nothing"],
  [70, false, true, "drag c2 c6", "drag c2 c6"],
  [30, true, false, "pan", "pan"],
  [30, true, true, "pan", "drag c2 c4"],
];
test.each(MOVES)("moved by %d, zoomed: %s, draggable: %s: touch: %s, mouse: %s", (by, zoomed, drags, touch, mouse) => {
  for (const pointerType of ["touch", "pen", "mouse"]) {
    vi.clearAllMocks();
    host.zoom.mockReturnValue(zoomed ? { k: 2, x: 3, y: 4 } : WHOLE);
    host.draggable.mockReturnValue(drags);
    const panned = (): number => (host.pan.mock.lastCall ? (3 - (host.pan.mock.lastCall[0] as number)) * 10 : 0);
    host.cellAt.mockImplementation((x) => `c${Math.floor((x - panned()) / 20)}`); // a cell follows the finger
    pointer.down(at(53, { pointerType }));
    pointer.move(at(53 + by, { pointerType }));
    pointer.up(at(53 + by, { pointerType }));
    const done = (["choose", "drag", "pan"] as const).flatMap((what) =>
      host[what].mock.calls.map((call) => (what === "pan" ? what : [what, ...call].join(" "))),
    );
    expect(done.join(", ") || "nothing", pointerType).toBe(pointerType === "mouse" ? mouse : touch);
    if (panned()) expect(panned()).toBe(by);
  }
});

test("a finger that went away and came back chooses nothing, and a third one does not press", () => {
  host.draggable.mockReturnValue(false);
  pointer.down(at(5));
  pointer.move(at(100));
  pointer.move(at(5));
  pointer.up(at(5));
  for (const pointerId of [1, 2, 3]) pointer.down(at(40 * pointerId, { pointerId }));
  vi.advanceTimersByTime(1000);
  for (const pointerId of [1, 2, 3]) pointer.up(at(40 * pointerId, { pointerId }));
  expect(host.choose).not.toHaveBeenCalled();
  expect(host.long).not.toHaveBeenCalled();
});

test("a mouse that was lifted beside the board pans no more", () => {
  host.draggable.mockReturnValue(false);
  host.zoom.mockReturnValue({ k: 2, x: 3, y: 4 });
  pointer.down(at(5, { pointerType: "mouse" }));
  pointer.move(at(50, { pointerType: "mouse", buttons: 1 }));
  pointer.move(at(90, { pointerType: "mouse", buttons: 0 }));
  expect(host.pan).toHaveBeenCalledTimes(1);
});

test("what the browser takes away, and the other buttons, choose nothing", () => {
  pointer.down(at(5));
  pointer.up(at(5, { type: "pointercancel" }));
  pointer.down(at(5, { button: 2 }));
  pointer.up(at(5, { button: 2 }));
  expect(host.choose).not.toHaveBeenCalled();
});

test("a right button's drag draws, and its click explains", () => {
  const drawing = { ...host, draws: vi.fn((event: Pointed) => event.button === 2), draw: vi.fn() };
  pointer = new PointerInput(drawing);
  const mouse = { pointerType: "mouse", button: 2, buttons: 2 };
  pointer.down(at(5, mouse));
  pointer.move(at(45, mouse));
  pointer.up(at(45, mouse));
  expect(drawing.draw.mock.calls.map(([from, to, , done]) => [from, to, done])).toEqual([
    ["c0", "c2", false],
    ["c0", "c2", true],
  ]);
  expect(host.long).not.toHaveBeenCalled();
  pointer.down(at(5, mouse));
  pointer.up(at(5, mouse));
  expect(host.long.mock.calls).toEqual([["c0", 5, 0]]);
  expect(pointer.right).toBe(true);
  pointer.down(at(5, { ...mouse, button: 0, buttons: 1 }));
  expect(pointer.right).toBe(false);
  expect(host.choose).not.toHaveBeenCalled();
});

test("a press that draws chooses nothing and is never long", () => {
  const drawing = { ...host, draws: () => true, draw: vi.fn() };
  pointer = new PointerInput(drawing);
  pointer.down(at(5));
  vi.advanceTimersByTime(1000);
  pointer.up(at(6));
  expect(drawing.draw.mock.calls.map(([from, to, , done]) => [from, to, done])).toEqual([["c0", "c0", true]]);
  expect(host.long).not.toHaveBeenCalled();
  expect(host.choose).not.toHaveBeenCalled();
});
