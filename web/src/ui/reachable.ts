/** Let the keyboard reach text that has to be scrolled. An attachment. */
export function reachable(node: HTMLElement): () => void {
  function look(): void {
    if (node.scrollHeight > node.clientHeight) node.tabIndex = 0;
    else node.removeAttribute("tabindex");
  }
  const sizes = new ResizeObserver(look);
  sizes.observe(node);
  const words = new MutationObserver(look);
  words.observe(node, { childList: true, subtree: true, characterData: true });
  return () => {
    sizes.disconnect();
    words.disconnect();
  };
}
