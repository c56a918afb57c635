/** The chat of a table, and which messages the viewer has not read. */
import { announce } from "../lib/announce.svelte";
import type { Said } from "../lib/types";
import { keep, kept } from "../storage/kept";
import { t } from "../words/words";

const MOST = 300;
/** Authors whose messages this browser hides: by handle, else by name. */
const muteKey = (line: { handle: string | null; name: string }): string => line.handle ?? `~${line.name}`;

export class Talk {
  lines: Said[] = $state.raw([]);
  unread = $state(0);
  mutes: string[] = $state.raw(kept("muted", []));
  #open = false;

  heard(lines: readonly Said[], all: boolean, mySeats: readonly number[]): void {
    const known = new Set(all ? [] : this.lines.map((line) => line.number));
    const fresh = lines.filter((line) => !known.has(line.number));
    const seen = this.lines.at(-1)?.number ?? -1;
    this.lines = (all ? [...fresh] : [...this.lines, ...fresh]).slice(-MOST);
    const others = fresh.filter(
      (line) => line.number > seen && !mySeats.includes(line.seat ?? -1) && !this.isMuted(line),
    );
    if (this.#open || !others.length || (all && seen < 0)) return;
    this.unread += others.length;
    const last = others.at(-1);
    if (last && !all) announce(t("option.is", { title: last.name, value: last.text }));
  }
  isMuted(line: Said): boolean {
    return this.mutes.includes(muteKey(line));
  }
  mute(line: Said, is = true): void {
    const key = muteKey(line);
    this.mutes = is ? [...new Set([...this.mutes, key])] : this.mutes.filter((one) => one !== key);
    keep("muted", this.mutes);
  }
  show(is: boolean): void {
    this.#open = is;
    if (is) this.unread = 0;
  }
}
