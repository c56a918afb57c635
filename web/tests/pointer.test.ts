import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PointerInput, type Pointed, type PointerHost } from "../src/board/pointer";
import { WHOLE } from "../src/board/viewport";

/** Cells are 20 pixels wide, in one row: c0, c1, ... */
const host = {
  cellAt: (x: number) => (x < 0 ? null : `c${Math.floor(x / 20)}`),
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
  vi.advanceTimersByTime(1);
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

test("on a zoomed board a finger pans", () => {
  host.zoom.mockReturnValue({ k: 2, x: 3, y: 4 });
  pointer.down(at(50));
  pointer.move(at(30));
  expect(host.pan).toHaveBeenLastCalledWith(5, 4);
  pointer.up(at(30));
  expect(host.drag).not.toHaveBeenCalled();
});

test("what the browser takes away, and the other buttons, choose nothing", () => {
  pointer.down(at(5));
  pointer.up(at(5, { type: "pointercancel" }));
  pointer.down(at(5, { button: 2 }));
  pointer.up(at(5, { button: 2 }));
  expect(host.choose).not.toHaveBeenCalled();
});
