/**
 * Makes what stands in an element that may not grow fit there: as long as it does not, `data-tight` goes on from "1" to "12",
 * "123" and "1234", by which the style sheets make less and less of what matters least. It does not fall again before the window has another size, so
 * that nothing comes and goes from turn to turn. An attachment; where the page scrolls as a whole nothing is done.
 */
const STEPS = "1234";

export function fitRoom(node: HTMLElement): () => void {
  let tight = 0;
  function show(): void {
    if (tight) node.dataset.tight = STEPS.slice(0, tight);
    else delete node.dataset.tight;
  }
  function fit(): void {
    if (getComputedStyle(node).overflowY === "visible") tight = 0;
    else
      while (tight < STEPS.length && node.scrollHeight > node.clientHeight + 1) {
        tight++;
        show();
      }
    show();
  }
  function anew(): void {
    tight = 0;
    show();
    fit();
  }
  const sizes = new ResizeObserver(fit);
  sizes.observe(node);
  const contents = new MutationObserver(fit);
  contents.observe(node, { childList: true, subtree: true, characterData: true });
  addEventListener("resize", anew);
  return () => {
    sizes.disconnect();
    contents.disconnect();
    removeEventListener("resize", anew);
  };
}
