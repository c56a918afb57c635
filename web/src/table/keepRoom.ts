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
