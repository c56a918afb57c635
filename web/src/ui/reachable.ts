/** Call `check` now and whenever an element changes its size or its words; return what ends that. */
export function watched(node: HTMLElement, check: () => void): () => void {
  const sizes = new ResizeObserver(check);
  sizes.observe(node);
  const words = new MutationObserver(check);
  words.observe(node, { childList: true, subtree: true, characterData: true });
  check();
  return () => {
    sizes.disconnect();
    words.disconnect();
  };
}

/** Let the keyboard reach text that has to be scrolled. An attachment. */
export const reachable = (node: HTMLElement): (() => void) =>
  watched(node, () => {
    if (node.scrollHeight > node.clientHeight) node.tabIndex = 0;
    else node.removeAttribute("tabindex");
  });
