import { expect, test } from "vitest";
import type { Box } from "../src/board/geometry";
import { bounded, centredOn, isZoomed, sight, WHOLE, zoomedAt } from "../src/board/viewport";

const box: Box = [-2, -1, 8, 4];

test("nothing beyond the drawing is ever in sight", () => {
  expect(bounded(box, { k: 2, x: -5, y: 9 })).toEqual({ k: 2, x: 0, y: 2 });
  expect(bounded(box, { k: 0.3, x: 1, y: 1 })).toEqual(WHOLE);
  expect(bounded(box, { k: 99, x: 0, y: 0 }).k).toBe(8);
});

test("the point under the finger stays where it is", () => {
  const point: [number, number] = [1, 0.5];
  const share = (zoom: typeof WHOLE) => {
    const [left, top, width, height] = sight(box, zoom);
    return [(point[0] - left) / width, (point[1] - top) / height];
  };
  const zoomed = zoomedAt(box, WHOLE, 3, point);
  expect(zoomed.k).toBe(3);
  const [x, y] = share(zoomed);
  expect(x).toBeCloseTo(share(WHOLE)[0] ?? NaN);
  expect(y).toBeCloseTo(share(WHOLE)[1] ?? NaN);
});

test("a focused cell comes into the middle, as far as the drawing goes", () => {
  const [left, top, width, height] = sight(box, centredOn(box, { k: 4, x: 0, y: 0 }, [2, 1]));
  expect([left + width / 2, top + height / 2]).toEqual([2, 1]);
  expect(centredOn(box, { k: 4, x: 0, y: 0 }, [-2, -1])).toEqual({ k: 4, x: 0, y: 0 });
});

test("a trace of zoom is none", () => {
  expect(isZoomed({ k: 1.0005, x: 0, y: 0 })).toBe(false);
  expect(isZoomed({ k: 1.2, x: 0, y: 0 })).toBe(true);
});
