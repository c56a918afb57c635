/** Copying and saving what the page shows. */
import { notice } from "./announce.svelte";
import { invitationTo } from "./backend";
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

const quoted = (text: string): string => text.replace(/&/g, "&amp;").replace(/"/g, "&quot;");
/** Copy the code with which another site shows a game or a position in a frame. */
export const copyEmbed = (path: string, title: string): Promise<void> =>
  copy(
    `<iframe src="${quoted(invitationTo(`/embed${path}`))}" width="480" height="600" title="${quoted(title)}" ` +
      'style="border:0" loading="lazy"></iframe>',
    t("what.embed"),
  );

export function download(text: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
