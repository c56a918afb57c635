/** Keyboard shortcuts that work wherever the focus is, unless the player is typing. */
import type { Gesture, Pick as Choice } from "../lib/types";

type Shortcut =
  | { kind: "cancel" }
  | { kind: "read" }
  | { kind: "play" }
  | { kind: "pick"; pick: Choice }
  | { kind: "gesture"; gesture: Gesture };

/** The state that decides what a key means. */
interface Situation {
  /** whether an action waits for confirmation */
  pending: boolean;
  picks: readonly Choice[];
  gestures: readonly Gesture[];
}
type Pressed = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "defaultPrevented">;
interface Target {
  closest(selector: string): unknown;
}

const SIGNS: Readonly<Record<string, string>> = { Comma: ",", Period: "." };

/** Return what a key stands for: the letter or sign that it has on a Latin keyboard, where its own letter is not Latin. */
export function keyOf({ key, code }: { key: string; code: string }): string {
  const foreign = /^\p{L}$/u.test(key) && !/\p{Script=Latin}/u.test(key);
  return foreign ? (SIGNS[code] ?? code.replace("Key", "").toLowerCase()) : key;
}

export function pressed(event: Pressed, target: Target, now: Situation): Shortcut | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return null;
  if (target.closest("input, textarea, select, [contenteditable]")) return null;
  if (event.key === "Escape") return { kind: "cancel" };
  if (event.key === "/") return { kind: "read" };
  if (event.key === "Enter" && now.pending && !target.closest("button, a")) return { kind: "play" };
  if (event.key.length !== 1) return null;
  const key = keyOf(event).toLowerCase();
  const pick = now.picks.find((one) => one.key && one.key.toLowerCase() === key);
  if (pick) return { kind: "pick", pick };
  const gesture = now.gestures.find((one) => one.key && one.key.toLowerCase() === key);
  return gesture ? { kind: "gesture", gesture } : null;
}

/** Where a key leads through a game: along the line shown, or to the variation beside it. */
export type Way = "back" | "forward" | "first" | "last" | "above" | "below";
const WAYS: Readonly<Record<string, Way>> = { ",": "back", ".": "forward", Home: "first", End: "last" };
const ARROWS: Readonly<Record<string, Way>> = {
  ArrowLeft: "back",
  ArrowRight: "forward",
  ArrowUp: "above",
  ArrowDown: "below",
};

/** Return where a key leads, wherever the focus is, or null. On the board, arrow keys move between cells instead. */
export function wayOf(event: KeyboardEvent): Way | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return null;
  const target = event.target as HTMLElement;
  if (document.querySelector("dialog[open]") || target.closest?.("input, textarea, select")) return null;
  const arrow = target.closest?.("[data-cell]") === null ? ARROWS[event.key] : undefined;
  return WAYS[keyOf(event)] ?? arrow ?? null;
}
