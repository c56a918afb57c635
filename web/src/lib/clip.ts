import { notice } from "./announce.svelte";
import { t } from "../words/words";

export async function copy(text: string, copied: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notice(copied);
  } catch {
    // Without a secure context there is no clipboard, so copy from a selected text field.
    const area = document.createElement("textarea");
    area.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    notice(done ? copied : t("clip.refused"), !done);
  }
}

export function download(text: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
