/** What is read aloud: one polite line, replaced each time; the same sentence twice is said twice. */
export const aloud = $state({ text: "", urgent: "" });
let odd = false;

export function announce(text: string): void {
  odd = !odd;
  aloud.text = odd ? text : `${text}\u00a0`;
}
export function alarm(text: string): void {
  odd = !odd;
  aloud.urgent = odd ? text : `${text}\u00a0`;
}

/** A short notice at the foot of the page, also read aloud. */
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
