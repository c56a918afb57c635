import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { held, pressOnce } from "../src/ui/unasked";

const presses = new EventTarget();
let focus = false;
const node = Object.assign(new EventTarget(), { dataset: {}, contains: () => focus });
const at = (event: Event, timeStamp: number, more = {}): Event =>
  Object.defineProperties(event, {
    timeStamp: { value: timeStamp },
    ...Object.fromEntries(Object.entries(more).map(([key, value]) => [key, { value }])),
  });
/** Whether a click, by a press that began at `began`, reaches the buttons. */
const clicks = (began: number, detail: number): boolean => {
  if (detail) presses.dispatchEvent(at(new Event("pointerdown"), began));
  return node.dispatchEvent(at(new Event("click", { cancelable: true }), detail ? began + 900 : began, { detail }));
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { activeElement: null });
  vi.stubGlobal("addEventListener", presses.addEventListener.bind(presses));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a pointer that came down before a moment has passed presses nothing, however late it lifts", () => {
  const now = performance.now();
  held(node as unknown as HTMLElement);
  expect(node.dataset).toEqual({ held: "" });
  expect([now - 100, now + 499, now + 500].map((began) => clicks(began, 1))).toEqual([false, false, true]);
  vi.advanceTimersByTime(500);
  expect(node.dataset).toEqual({});
});

test("a key presses at once what the focus was brought to, but not what changes under the focus", () => {
  const now = performance.now();
  held(node as unknown as HTMLElement);
  expect(clicks(now + 10, 0)).toBe(true);
  focus = true;
  held(node as unknown as HTMLElement);
  expect([now + 10, now + 600].map((began) => clicks(began, 0))).toEqual([false, true]);
});

test("a held key presses once, and still writes", () => {
  const holds = (key: string, inside: string, repeat = true): boolean => {
    const target = { closest: (selector: string) => (selector.includes(inside) ? {} : null) };
    const event = at(new Event("keydown", { cancelable: true }), 0, { key, repeat, target });
    pressOnce(event as KeyboardEvent);
    return event.defaultPrevented;
  };
  expect(holds("Enter", "button")).toBe(true);
  expect(holds("Enter", "button", false)).toBe(false);
  expect(holds("Enter", "textarea")).toBe(false);
  expect(holds(" ", "[data-cell]")).toBe(true);
  expect(holds(" ", "input")).toBe(false);
});
