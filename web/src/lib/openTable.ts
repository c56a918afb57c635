/** Opening tables. The browser keeps the tokens of its own seats; the tab remembers the links for others. */
import { ask, askOnce, type TableWish } from "./api";
import { backend, invitationTo } from "./backend";
import { copy } from "./clip";
import { keepTokens } from "./seats";
import { keep, keepText, kept, keptText } from "../storage/kept";
import { t } from "../words/words";

export interface Invitation {
  seat: number;
  link: string;
}

export const invitations = (table: string): Invitation[] => kept("links", [], table);
export const keepInvitations = (table: string, all: readonly Invitation[]): void => void keep("links", all, table);

/** The table that was opened to play a friend, whose page shows the link at once. */
export const inviting = { table: "" };

/** Return the position that a table started from, if this tab opened it with one. */
export const openedFrom = (table: string): string | null => keptText("from", table);

/** Open a table, take the player's seats and return its id. `from` is a given starting position. */
export async function openTable(wish: TableWish, from = wish.position): Promise<string> {
  const made = await (backend.people ? askOnce : ask)("POST /api/tables", wish, { seats: wish.table });
  if (from) keepText("from", from, made.id);
  const tokens = made.seats.flatMap((seat) => (seat.token ? [seat.token] : []));
  keepTokens(made.id, tokens);
  const links = made.seats.flatMap((seat) => (seat.link ? [{ seat: seat.seat, link: seat.link }] : []));
  if (links.length) keepInvitations(made.id, links);
  return made.id;
}

/** Whether the device has a share sheet. */
export const canShare = (): boolean => typeof navigator.share === "function";
/** Share an address by the device's share sheet, or else copy it. */
export async function share(url: string, title: string): Promise<void> {
  try {
    await navigator.share({ title, url });
  } catch (error) {
    if (!(error instanceof DOMException && error.name === "AbortError")) await copy(url, t("what.link"));
  }
}
/** Share a link by the share sheet of a touch device, or else copy it. */
export async function invite(link: string, title: string): Promise<void> {
  const url = invitationTo(link);
  await (canShare() && matchMedia("(pointer: coarse)").matches ? share(url, title) : copy(url, t("what.link")));
}
