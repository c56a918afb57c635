/** The reader's own arrows and circles. In a comment they are written as in PGN: `[%csl Gd4]` circles the cell d4 in
 * green, `[%cal Rd4e5]` is a red arrow from d4 to e5. */
import type { Pointed } from "./pointer";
import { t, type PlainKey } from "../words/words";

export const BRUSHES = ["G", "R", "B", "Y"] as const;
export type Brush = (typeof BRUSHES)[number];
/** A circle around one cell, or an arrow from one cell to another. */
export interface Shape {
  brush: Brush;
  from: string;
  to: string;
}
/** The most shapes of one position. */
const MOST = 40;
const WRITTEN = /\s*\[%(csl|cal) ([^\]]*)\]/g;
export const BRUSH_KEYS: Readonly<Record<Brush, PlainKey>> = {
  G: "draw.green",
  R: "draw.red",
  B: "draw.blue",
  Y: "draw.yellow",
};

/** Return the brush that the keys held during a drag choose: as on lichess with the right button, where Shift counts.
 * With the left one Shift only says that it draws. */
export function brushOf({ buttons, button, shiftKey, altKey }: Partial<Pointed>, usual: Brush = "G"): Brush {
  const shift = shiftKey && (button === 2 || buttons === 2);
  return shift ? (altKey ? "Y" : "R") : altKey ? "B" : usual;
}

/** Return the shapes with one more; one that was there is erased, or takes the new colour. */
export function toggled(shapes: readonly Shape[], made: Shape): readonly Shape[] {
  const same = shapes.find((one) => one.from === made.from && one.to === made.to);
  const others = shapes.filter((one) => one !== same);
  return same?.brush === made.brush || others.length >= MOST ? others : [...others, made];
}

/** Return a comment without its shapes. */
export const commentText = (comment: string): string => comment.replace(WRITTEN, "").trim();

/** Return the shapes in a comment whose cells are on the board. */
export function shapesIn(comment: string, isCell: (name: string) => boolean): Shape[] {
  const shapes: Shape[] = [];
  for (const [, kind, list = ""] of comment.matchAll(WRITTEN))
    for (const one of list.split(",").map((each) => each.trim())) {
      const brush = BRUSHES.find((each) => one.startsWith(each));
      const cells = one.slice(1);
      const ends = Array.from(cells, (_, i) => [cells.slice(0, i), cells.slice(i)] as const);
      const pair = kind === "csl" ? ([cells, cells] as const) : ends.find((each) => each.every(isCell));
      if (brush && pair && isCell(pair[0]) && shapes.length < MOST) shapes.push({ brush, from: pair[0], to: pair[1] });
    }
  return shapes;
}

/** Return a comment of this text and these shapes. */
export function commentOf(text: string, shapes: readonly Shape[]): string {
  const written = (kind: string, circles: boolean): string => {
    const all = shapes.filter((one) => (one.from === one.to) === circles);
    const each = all.map(({ brush, from, to }) => brush + from + (circles ? "" : to));
    return each.length ? `[%${kind} ${each.join(",")}]` : "";
  };
  return [text, written("csl", true), written("cal", false)].filter(Boolean).join(" ");
}

/** Return what a screen reader says of a shape. */
export const shapeWords = ({ brush, from, to }: Shape): string =>
  from === to
    ? t("draw.circle", { brush: t(BRUSH_KEYS[brush]), cell: from })
    : t("draw.arrow", { brush: t(BRUSH_KEYS[brush]), from, to });
