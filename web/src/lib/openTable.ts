/** Opening tables: the tokens of one's seats are kept, the links for others remembered for as long as the tab lives. */
import { api, type TableWish } from "./api";
import { copy } from "./clip";
import { keepTokens } from "./seats";
import { t } from "../words/words";

export interface Invitation {
  seat: number;
  link: string;
}
const KEY = "tercet.links.";
const FROM = "tercet.from.";

export function invitations(table: string): Invitation[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEY + table) ?? "[]") as Invitation[];
  } catch {
    return [];
  }
}
export function keepInvitations(table: string, all: readonly Invitation[]): void {
  sessionStorage.setItem(KEY + table, JSON.stringify(all));
}

/** The position that a table was opened with, if it was opened here with one. */
export const openedFrom = (table: string): string | null => sessionStorage.getItem(FROM + table);

/** Opens a table and takes one's seats there; its id. `from` is the position it begins with, where it is a given one. */
export async function openTable(wish: TableWish, from = wish.position): Promise<string> {
  const made = await api.newTable(wish);
  if (from) sessionStorage.setItem(FROM + made.id, from);
  keepTokens(
    made.id,
    made.seats.flatMap((seat) => (seat.token ? [seat.token] : [])),
  );
  const links = made.seats.flatMap((seat) => (seat.link ? [{ seat: seat.seat, link: seat.link }] : []));
  if (links.length) keepInvitations(made.id, links);
  return made.id;
}

/** Whether the device has a sheet of its own for handing things on. */
export const canShare = (): boolean => typeof navigator.share === "function";
/** Hand an address on by the device's own sheet, else by the clipboard. */
export async function share(url: string, title: string): Promise<void> {
  try {
    await navigator.share({ title, url });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) await copy(url, t("what.link"));
  }
}
/** Hand a link on: by the device's own sheet where it has one to touch, else to the clipboard. */
export async function invite(link: string, title: string): Promise<void> {
  const url = new URL(link, location.href).href;
  await (canShare() && matchMedia("(pointer: coarse)").matches ? share(url, title) : copy(url, t("what.link")));
}
