/** Write the page's paths behind `#` in links, so that a static host serves all of them from one file. */

function write(link: Element): void {
  const path = link.getAttribute("href");
  if (path?.startsWith("/")) link.setAttribute("href", `#${path}`);
}

export function writeLinks(): void {
  new MutationObserver((changes) => {
    for (const { target, addedNodes } of changes)
      for (const node of [target, ...addedNodes])
        if (node instanceof Element) {
          if (node.matches("a[href]")) write(node);
          if (node !== target) node.querySelectorAll("a[href]").forEach(write);
        }
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["href"] });
  addEventListener("click", (event) => {
    const to = (event.target as Element | null)?.closest?.("a[href^='#']")?.getAttribute("href");
    if (!to || event.defaultPrevented) return;
    if (to.startsWith("#/")) scrollTo(0, 0);
    else {
      event.preventDefault();
      document.getElementById(to.slice(1))?.focus();
    }
  });
}
