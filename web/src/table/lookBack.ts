/** Keys that go back and forth through a game, wherever the focus is. */
import { keyOf } from "../board/shortcuts";

/** Return the ply that a key leads to, or null. On the board, arrow keys move between cells instead. */
export function lookedFor(event: KeyboardEvent, shown: number, all: number): number | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return null;
  if (document.querySelector("dialog[open]")) return null;
  const target = event.target as HTMLElement;
  if (target.closest?.("input, textarea, select")) return null;
  const onBoard = target.closest?.("[data-cell]") !== null;
  const steps: Record<string, number> = {
    ",": shown - 1,
    ".": shown + 1,
    Home: 0,
    End: all,
    ...(onBoard ? {} : { ArrowLeft: shown - 1, ArrowRight: shown + 1 }),
  };
  const to = steps[keyOf(event)];
  return to === undefined || to < 0 || to > all ? null : to;
}
