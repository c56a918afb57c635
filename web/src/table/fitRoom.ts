/**
 * Make the content of an element fit. While it does not, `data-tight` grows from "1" to "12" and so on, and the style
 * sheets shrink what matters least; with "6" it has to scroll. It is reset when the window changes its size and when a
 * part of the content comes or goes, not when words change, so that nothing jumps from turn to turn. An attachment; it
 * does nothing where the page scrolls as a whole.
 */
const STEPS = "123456";

export function fitRoom(node: HTMLElement): () => void {
  let tight = 0;
  function show(): void {
    if (tight) node.dataset.tight = STEPS.slice(0, tight);
    else delete node.dataset.tight;
  }
  function fit(): void {
    if (node.querySelector("[data-whole]")) return; // the player asked for more than fits: it scrolls
    if (getComputedStyle(node).overflowY === "visible") tight = 0;
    else
      while (tight < STEPS.length && node.scrollHeight > node.clientHeight + 1) {
        tight++;
        show();
      }
    show();
  }
  function refit(): void {
    tight = 0;
    show();
    fit();
  }
  const sizes = new ResizeObserver(fit);
  sizes.observe(node);
  const contents = new MutationObserver((changes) => {
    const parts = changes
      .filter((one) => one.target === node)
      .flatMap((one) => [...one.addedNodes, ...one.removedNodes]);
    if (parts.some((part) => part instanceof Element)) refit();
    else fit();
  });
  contents.observe(node, { childList: true, subtree: true, characterData: true });
  addEventListener("resize", refit);
  return () => {
    sizes.disconnect();
    contents.disconnect();
    removeEventListener("resize", refit);
  };
}
