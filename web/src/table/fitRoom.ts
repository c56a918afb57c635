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

/**
 * Keep what is in sight in its place when something at the page's foot becomes shorter. The element reaches at
 * least to the bottom of the window, so the page never has to scroll back. An attachment of the last element of a
 * page that scrolls as a whole.
 */
export function keepRoom(node: HTMLElement): () => void {
  function keep(): void {
    if (getComputedStyle(node).overflowY !== "visible") {
      node.style.minHeight = "";
      return;
    }
    const page = document.documentElement;
    const at = node.getBoundingClientRect();
    const below = page.scrollHeight - scrollY - at.bottom;
    // the browser rounds the page's height: rounding up would make it grow with every measurement
    node.style.minHeight = `${Math.max(0, Math.min(at.height, Math.ceil(innerHeight - at.top - below)))}px`;
  }
  const sizes = new ResizeObserver(keep);
  sizes.observe(node);
  addEventListener("scroll", keep, { passive: true });
  addEventListener("resize", keep);
  return () => {
    sizes.disconnect();
    removeEventListener("scroll", keep);
    removeEventListener("resize", keep);
  };
}
