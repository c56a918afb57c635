/** The page for an address. */
import { PAGES } from "../lib/pages.generated";

export type PageName = (typeof PAGES)[keyof typeof PAGES];

/** Return the component that shows `path` and its parameters, or null for an unknown address. */
export function pageAt(path: string): { page: PageName; given: Partial<Record<string, string>> } | null {
  const parts = path.split("/").filter(Boolean);
  for (const [address, page] of Object.entries(PAGES)) {
    const wanted = address.split("/").filter(Boolean);
    if (wanted.length !== parts.length) continue;
    const given: Record<string, string> = {};
    const fits = wanted.every((part, at) => {
      const [before = "", name] = part.split(/[{}]/);
      const found = parts[at] ?? "";
      if (name === undefined) return part === found;
      given[name] = found.slice(before.length);
      return found.startsWith(before) && found.length > before.length;
    });
    if (fits) return { page, given };
  }
  return null;
}
