import { expect, test } from "vitest";
import { popupPlace } from "../src/board/popup";
import { spotAt, spotsOf } from "../src/board/spots";
import { layout } from "../src/board/geometry";
import { squares } from "./boards";

const frame = { width: 400, height: 400 };
const popup = { width: 100, height: 40 };
const cell = (x: number, y: number) => ({ x, y, size: 50 });

test("the popup is above its cell, below it at the top edge, and inside the frame", () => {
  expect(popupPlace(frame, popup, cell(200, 200), [])).toEqual({ left: 200, top: 169, below: false });
  expect(popupPlace(frame, popup, cell(200, 30), [])).toEqual({ left: 200, top: 61, below: true });
  expect(popupPlace(frame, popup, cell(5, 200), []).left).toBe(56);
  expect(popupPlace(frame, popup, cell(395, 200), []).left).toBe(344);
});

test("it does not hide the cells that were chosen before", () => {
  expect(popupPlace(frame, popup, cell(200, 200), [cell(200, 150)]).below).toBe(true);
  const between = popupPlace(frame, popup, cell(200, 200), [cell(200, 150), cell(200, 250)]);
  expect(between.top).toBeLessThanOrEqual(150 - 25);
});

test("without its cell on the screen it is at the foot", () => {
  expect(popupPlace(frame, popup, null, [])).toEqual({ left: 200, top: 310, below: false });
});

test("a spot is found near its middle, and from each of its cells", () => {
  const { at } = layout(squares(3), { angle: 0, flipped: false }, false);
  const gesture = (id: string, ...cells: string[]) => ({
    id,
    title: id,
    says: id,
    trigger: "spot" as const,
    cells,
    actions: [id],
    key: "",
  });
  const spots = spotsOf([gesture("low", "a1", "b1", "a2", "b2"), gesture("high", "b2", "c2", "b3", "c3")], at);
  expect(spots.map(({ x, y }) => [x, y])).toEqual([
    [0.5, 1.5],
    [1.5, 0.5],
  ]);
  expect(spotAt(spots, "b2", [0.8, 1.2])?.id).toBe("low");
  expect(spotAt(spots, "b2", [1.2, 0.8])?.id).toBe("high");
  expect(spotAt(spots, "c1", [2, 2])).toBeNull();
});
