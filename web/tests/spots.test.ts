import { expect, test } from "vitest";
import { layout } from "../src/board/geometry";
import { spotAt, spotsOf } from "../src/board/spots";
import { squares } from "./boards";

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
    at: "",
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
