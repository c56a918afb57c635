/** What events hand from a player to another: counters that fly from pile to pile, or up and away. */
import { still } from "./settings.svelte";
import type { GameEvent } from "./types";

const SIZE = 16;

const middle = (element: Element | null): { x: number; y: number } | null => {
  const box = element?.getBoundingClientRect();
  return box && box.width ? { x: box.left + box.width / 2, y: box.top + box.height / 2 } : null;
};
const pile = (player: unknown): { x: number; y: number } | null =>
  typeof player === "number" ? middle(document.querySelector(`[data-pile="${player}"]`)) : null;

/** Shows every transfer among `events`, one after another. Nothing moves where motion is not wanted. */
export function moveTransfers(events: readonly GameEvent[]): void {
  if (still()) return;
  let wait = 0;
  for (const event of events) {
    const { from, to, amount } = event.data;
    if (typeof amount !== "number" || typeof from !== "number") continue;
    const start = pile(from);
    const board = middle(document.querySelector(".stage .board"));
    const end = pile(to) ?? board;
    if (!start || !end) continue;
    for (let i = 0; i < Math.min(6, amount); i++) fly(start, end, wait + i * 70, typeof to !== "number");
    wait += 260;
  }
}

/** How far a counter leaves the straight way: to the side of cards above each other, below cards beside each other, so
 * that it passes over nobody's name. */
export const bow = (dx: number, dy: number): [number, number] => (Math.abs(dx) < Math.abs(dy) ? [-46, 0] : [0, 46]);

function fly(from: { x: number; y: number }, to: { x: number; y: number }, delay: number, away: boolean): void {
  const counter = document.createElement("span");
  counter.className = "flying";
  counter.setAttribute("aria-hidden", "true");
  counter.style.left = `${from.x - SIZE / 2}px`;
  counter.style.top = `${from.y - SIZE / 2}px`;
  document.body.append(counter);
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const [aside, down] = bow(dx, dy);
  const motion = counter.animate(
    [
      { transform: "translate(0, 0)", opacity: 1 },
      { transform: `translate(${dx / 2 + aside}px, ${dy / 2 + down}px)`, opacity: 1, offset: 0.5 },
      { transform: `translate(${dx}px, ${dy}px)`, opacity: away ? 0 : 1 },
    ],
    { duration: 620, delay, easing: "cubic-bezier(0.3, 0.1, 0.3, 1)", fill: "both" },
  );
  motion.onfinish = motion.oncancel = () => counter.remove();
}
