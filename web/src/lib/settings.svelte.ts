/** The player's settings, kept in the browser. */
import type { Style } from "./types";
import { keep as keepAs, kept } from "../storage/kept";

/** the settings of a player who has chosen none */
const DEFAULTS = {
  /** the browser's language, or one of the page's */
  language: "auto",
  theme: "auto" as "auto" | "light" | "dark",
  style: "character" as Style,
  coordinates: true,
  legal: true,
  sound: true,
  volume: 0.5,
  motion: "auto" as "auto" | "full" | "less",
  confirm: "auto" as "auto" | "always" | "never",
  /** how fast chains run */
  pace: "normal" as "slow" | "normal" | "fast",
  /** how a cell shows its owner: by its border, or by the colour of its symbol */
  holder: "symbol" as "border" | "symbol",
  /** whose side is at the bottom of the board */
  facing: "mine" as "mine" | "fixed",
  preview: true,
  /** whether newcomers get tips in unrated games against engines: the goal, and what has just happened */
  companion: true,
  /** whether engines analyse on this device, where the server offers that */
  thinkHere: true,
  /** whether to notify the player when it is their turn and the page is not in view */
  notify: false,
  /** by game: a skin and a notation; empty for the game's own */
  skin: {} as Record<string, string>,
  notation: {} as Record<string, string>,
  angle: {} as Record<string, number>,
  flipped: {} as Record<string, boolean>,
};

export const settings = $state({ ...DEFAULTS, ...kept<Partial<typeof DEFAULTS>>("settings", {}) });

export const keep = (): void => void keepAs("settings", settings);

/** what the device says of itself */
const device = $state({ calm: false, coarse: false, night: false });
function follow(name: keyof typeof device, query: string): void {
  const media = typeof matchMedia === "function" ? matchMedia(query) : null;
  device[name] = media?.matches ?? false;
  media?.addEventListener("change", (event) => (device[name] = event.matches));
}
follow("calm", "(prefers-reduced-motion: reduce)");
follow("coarse", "(pointer: coarse)");
follow("night", "(prefers-color-scheme: dark)");

export const still = (): boolean => settings.motion === "less" || (settings.motion === "auto" && device.calm);
/** Return whether moves need confirmation; `table` decides where the player has not. */
export const confirms = (table = false): boolean =>
  settings.confirm === "always" || (settings.confirm === "auto" && (device.coarse || table));
/** milliseconds between two steps of a chain */
export const pace = (): number => (still() ? 0 : { slow: 320, normal: 130, fast: 45 }[settings.pace]);
export const dark = (): boolean => settings.theme === "dark" || (settings.theme === "auto" && device.night);
