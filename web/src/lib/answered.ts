/** Show that a press registered before doing the work that it asks for. */

/** Do `work` once the browser has drawn what is marked now. A page out of sight draws nothing, and works at once. */
export function onceDrawn(work: () => void): void {
  if (document.hidden) return work();
  requestAnimationFrame(() => setTimeout(work));
}

/** Return an answer to a click on a button: mark the button, then do `work`. Further clicks before that are ignored. */
export function answered(work: () => void): (event: Event) => void {
  return ({ currentTarget }) => {
    const button = currentTarget as HTMLElement;
    if ("pressed" in button.dataset) return;
    button.dataset.pressed = "";
    onceDrawn(() => {
      delete button.dataset.pressed;
      work();
    });
  };
}

/** Return an answer to a form that is sent: `work`, in place of the browser's own. */
export function submits(work: () => unknown): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    void work();
  };
}

/** Return an answer to keys of the window: Escape closes what stands beside the board, unless a sheet is open over it. */
export function onEscape(close: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.key !== "Escape" || document.querySelector("dialog[open]")) return;
    event.stopPropagation();
    close();
  };
}
