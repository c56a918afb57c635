/** The page's addresses. */
const read = () => ({ path: location.pathname, hash: location.hash, search: location.search });

export const route = $state(read());

function follow(): void {
  Object.assign(route, read());
}

addEventListener("popstate", follow);

export function go(address: string, replace = false): void {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  follow();
  if (!replace) scrollTo(0, 0);
}

/** Follow plain clicks on the page's own links without loading the page again. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = (event.target as Element | null)?.closest?.("a[href]");
  if (!(link instanceof HTMLAnchorElement) || link.target || link.download || link.origin !== location.origin) return;
  if (link.pathname.startsWith("/api/") || link.pathname.startsWith("/assets/")) return;
  if (link.pathname === location.pathname && link.hash && !link.hash.startsWith("#seat=")) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}
