/** The page's addresses. */
import { backend } from "./backend";

function read() {
  const { pathname, hash, search } = backend.root ? new URL(location.hash.slice(1) || "/", location.origin) : location;
  return { path: pathname, hash, search };
}

export const route = $state(read());
/** whether another player led here, not a press */
export const led = { unasked: false };

function follow(): void {
  Object.assign(route, read());
}

addEventListener("popstate", follow);

/** Give what is shown another address. */
export const rename = (path: string): void => history.replaceState(null, "", backend.root + path);

export function go(path: string, replace = false, unasked = false): void {
  if (replace) rename(path);
  else history.pushState(null, "", backend.root + path);
  led.unasked = unasked;
  follow();
  if (!replace) scrollTo(0, 0);
}

/** Follow plain clicks on the page's own links without loading the page again. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = (event.target as Element | null)?.closest?.("a[href]");
  if (!(link instanceof HTMLAnchorElement) || link.target || link.download || link.origin !== location.origin) return;
  if (backend.root) return; // its own links are fragments (device/deviceStart.ts)
  if (link.pathname.startsWith("/api/") || link.pathname.startsWith("/assets/")) return;
  if (link.pathname === location.pathname && link.hash && !link.hash.startsWith("#seat=")) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}
