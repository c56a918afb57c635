/** Counters that fly from one player's pile to another, or over the board and away. */
import { still } from "../lib/settings.svelte";
import type { GameEvent } from "../lib/types";

const SIZE = 16;
interface Point {
  x: number;
  y: number;
}

const middle = (element: Element | null): Point | null => {
  const box = element?.getBoundingClientRect();
  return box && box.width ? { x: box.left + box.width / 2, y: box.top + box.height / 2 } : null;
};
const pile = (player: unknown): Point | null =>
  typeof player === "number" ? middle(document.querySelector(`[data-pile="${player}"]`)) : null;

/** Return in sentences what an action of `seat` made others pay: what a player chose to pay, its own sentence says. */
export const levied = (events: readonly GameEvent[], seat: number): GameEvent[] =>
  events.filter(({ data }) => typeof data.amount === "number" && data.from !== seat);

/** Return where counters go that leave the game: above the board, but inside the window. */
function aboveBoard(): Point | null {
  const box = document.querySelector(".stage .board")?.getBoundingClientRect();
  return box && box.width ? { x: box.left + box.width / 2, y: Math.max(SIZE, box.top) } : null;
}

/** Animate every transfer among `events`, one after another, unless animations are off. */
export function moveTransfers(events: readonly GameEvent[]): void {
  if (still()) return;
  let wait = 0;
  for (const event of events) {
    const { from, to, amount } = event.data;
    if (typeof amount !== "number" || typeof from !== "number") continue;
    const start = pile(from);
    const away = typeof to !== "number";
    const end = away ? aboveBoard() : pile(to);
    if (!start || !end) continue;
    for (let i = 0; i < Math.min(6, amount); i++) fly(start, end, wait + i * 70, away);
    wait += 260;
  }
}

/** Return how far a counter bends from the straight line: to the side between stacked cards, down between cards in a
 * row, so that it hides no name. */
export const bow = (dx: number, dy: number): [number, number] => (Math.abs(dx) < Math.abs(dy) ? [-46, 0] : [0, 46]);

/** Return the keyframes of a counter. One that leaves the game flies above the board, then grows and fades. */
export function flight(dx: number, dy: number, away: boolean): Keyframe[] {
  const [aside, down] = bow(dx, dy);
  const way = (part: number, bent: number, size = ""): string =>
    `translate(${dx * part + aside * bent}px, ${dy * part + down * bent}px)${size}`;
  if (!away) return [{ transform: way(0, 0) }, { transform: way(0.5, 1), offset: 0.5 }, { transform: way(1, 0) }];
  return [
    { transform: way(0, 0), opacity: 1 },
    { transform: way(1, 0, " scale(1.5)"), opacity: 1, offset: 0.7 },
    { transform: `translate(${dx}px, ${dy - 2 * SIZE}px) scale(2)`, opacity: 0 },
  ];
}

function fly(from: Point, to: Point, delay: number, away: boolean): void {
  const counter = document.createElement("span");
  counter.className = away ? "flying away" : "flying";
  counter.setAttribute("aria-hidden", "true");
  counter.style.left = `${from.x - SIZE / 2}px`;
  counter.style.top = `${from.y - SIZE / 2}px`;
  document.body.append(counter);
  const motion = counter.animate(flight(to.x - from.x, to.y - from.y, away), {
    duration: away ? 1100 : 620,
    delay,
    easing: "cubic-bezier(0.3, 0.1, 0.3, 1)",
    fill: "both",
  });
  motion.onfinish = motion.oncancel = () => counter.remove();
}
