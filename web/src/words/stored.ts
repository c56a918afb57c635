/** The settings that this browser stores. The language is one of them, so the texts need them first. */
const KEY = "tercet.settings";

export function stored(): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, unknown>;
  } catch {
    return {};
  }
}
export const store = (settings: object): void => localStorage.setItem(KEY, JSON.stringify(settings));
