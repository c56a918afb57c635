/**
 * Buttons that appear or move although the player did nothing: a press on its way was meant for what stood there before.
 * Those inside a held element take no press for a moment, nor one that began before, by a finger at rest.
 */

/** milliseconds in which a person sees what is new and can stop */
const MOMENT = 500;
const ends = new WeakMap<EventTarget, number>();
/** elements that had the focus when they were held: keys press where the focus is, not what comes elsewhere */
const focused = new WeakSet<EventTarget>();
let pressed = 0;
const press = (event: Event): void => void (pressed = event.timeStamp);
function ignore(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

function guard(event: MouseEvent): void {
  const node = event.currentTarget as Element;
  const began = event.detail ? pressed : event.timeStamp; // a key has no pointer
  if ((event.detail || focused.has(node)) && began < (ends.get(node) ?? 0)) ignore(event);
}

/** Hold the buttons in `node`, which are new since `from`. An attachment. */
export function held(node: HTMLElement, from = performance.now()): void {
  const end = from + MOMENT;
  if (end <= performance.now()) return;
  ends.set(node, end);
  focused[node.contains(document.activeElement) ? "add" : "delete"](node);
  node.dataset.held = "";
  setTimeout(() => ends.get(node) === end && delete node.dataset.held, end - performance.now());
  node.addEventListener("click", guard, true);
  addEventListener("pointerdown", press, true);
}

/** Hold the buttons in `node` whenever a part of it comes or goes. An attachment. */
export function unasked(node: HTMLElement): () => void {
  const parts = new MutationObserver((changes) => {
    const all = changes.flatMap((one) => [...one.addedNodes, ...one.removedNodes]);
    if (all.some((part) => part instanceof Element)) held(node);
  });
  parts.observe(node, { childList: true });
  return () => parts.disconnect();
}

/** A held key presses once, whatever is under the focus by then. */
export function pressOnce(event: KeyboardEvent): void {
  const at = event.target as Element;
  const presses = event.key === "Enter" ? !at.closest("textarea") : event.key === " " && at.closest("[data-cell]");
  if (event.repeat && presses) ignore(event);
}
