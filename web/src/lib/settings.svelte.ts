/** The player's settings, kept in the browser. */
import type { Style } from "./types";
import { keep as keepAs, kept } from "../storage/kept";

export interface Settings {
  /** the browser's language, or one of the page's */
  language: string;
  theme: "auto" | "light" | "dark";
  style: Style;
  coordinates: boolean;
  legal: boolean;
  sound: boolean;
  volume: number;
  motion: "auto" | "full" | "less";
  confirm: "auto" | "always" | "never";
  /** how fast chains run */
  pace: "slow" | "normal" | "fast";
  /** how a cell shows its owner: by its border, or by the colour of its symbol */
  holder: "border" | "symbol";
  /** whose side is at the bottom of the board */
  facing: "mine" | "fixed";
  preview: boolean;
  /** whether newcomers get tips in unrated games against engines: the goal, and what has just happened */
  companion: boolean;
  /** whether engines analyse on this device, where the server offers that */
  thinkHere: boolean;
  /** whether to notify the player when it is their turn and the page is not in view */
  notify: boolean;
  /** by game: a skin and a notation; empty for the game's own */
  skin: Record<string, string>;
  notation: Record<string, string>;
  angle: Record<string, number>;
  flipped: Record<string, boolean>;
}

const DEFAULTS: Settings = {
  language: "auto",
  theme: "auto",
  style: "character",
  coordinates: true,
  legal: true,
  sound: true,
  volume: 0.5,
  motion: "auto",
  confirm: "auto",
  pace: "normal",
  holder: "symbol",
  facing: "mine",
  preview: true,
  companion: true,
  thinkHere: true,
  notify: false,
  skin: {},
  notation: {},
  angle: {},
  flipped: {},
};

export const settings: Settings = $state({ ...DEFAULTS, ...kept<Partial<Settings>>("settings", {}) });

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
