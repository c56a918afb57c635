import { beforeEach, expect, test, vi } from "vitest";
import { answered, onceDrawn } from "../src/lib/answered";

const frames: (() => void)[] = [];
const page = { hidden: false };
beforeEach(() => {
  vi.useFakeTimers();
  frames.length = 0;
  page.hidden = false;
  vi.stubGlobal("document", page);
  vi.stubGlobal("requestAnimationFrame", (frame: () => void) => frames.push(frame));
});
const draw = (): void => {
  frames.splice(0).forEach((frame) => frame());
  vi.runAllTimers();
};

test("the work begins after the mark is drawn, in the order of the presses", () => {
  const done: string[] = [];
  onceDrawn(() => done.push("cell"));
  onceDrawn(() => done.push("pick"));
  vi.runAllTimers();
  expect(done).toEqual([]);
  draw();
  expect(done).toEqual(["cell", "pick"]);
});

test("a page out of sight draws nothing, and does not wait for it", () => {
  page.hidden = true;
  const work = vi.fn();
  onceDrawn(work);
  expect(work).toHaveBeenCalledOnce();
});

test("a button that is pressed twice before it answers is answered once, and can be pressed again", () => {
  const work = vi.fn();
  const button = { dataset: {} as Record<string, string> };
  const press = answered(work);
  const click = { currentTarget: button } as unknown as Event;
  press(click);
  press(click);
  expect(button.dataset).toEqual({ pressed: "" });
  draw();
  expect(work).toHaveBeenCalledOnce();
  expect(button.dataset).toEqual({});
  press(click);
  draw();
  expect(work).toHaveBeenCalledTimes(2);
});
