/**
 * The live regions that screen readers read aloud. A repeated sentence is read again. A sentence that follows at
 * once is joined to the one before, which would otherwise be cut off.
 */
import { t } from "../words/words";

export const aloud = $state({ text: "", urgent: "" });
const AT_ONCE = 600;
const LONGEST = 400;
let odd = false;
let last = { text: "", at: -AT_ONCE };

export function announce(text: string): void {
  const now = performance.now();
  const both = now - last.at < AT_ONCE && last.text !== text ? `${last.text} ${text}` : text;
  last = { text: both.length > LONGEST ? text : both, at: now };
  odd = !odd;
  aloud.text = odd ? last.text : `${last.text}\u00a0`;
}
export function alarm(text: string): void {
  odd = !odd;
  aloud.urgent = odd ? text : `${text}\u00a0`;
}

/** A short notice at the foot of the page. Screen readers read it too. */
export const toast = $state<{ text: string; bad: boolean }>({ text: "", bad: false });
let timer: ReturnType<typeof setTimeout> | undefined;

export function notice(text: string, bad = false): void {
  toast.text = text;
  toast.bad = bad;
  clearTimeout(timer);
  timer = setTimeout(() => (toast.text = ""), bad ? 6000 : 3000);
  if (bad) alarm(text);
  else announce(text);
}

/** Return an error in words. Errors of requests are sentences of their own. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : t("common.failed"));
