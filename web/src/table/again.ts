/** A new table for the same game with the same seats. */
import type { SeatWish, TableWish } from "../lib/api";
import { openedFrom } from "../lib/openTable";
import type { Table } from "./table.svelte";

/** Return the request for a new table with the same seats, or null while it is not known. It starts from the position
 * `from`, if there is one. */
export function sameAgain(table: Table, from = openedFrom(table.id)): TableWish | null {
  const { data, state } = table;
  if (!data || !state) return null;
  let mine = false;
  const seats = table.seats.map((seat, i): SeatWish => {
    if (seat.kind === "engine") return { kind: "engine", level: seat.level ?? 3 };
    if (seat.kind === "open") return { kind: "open" };
    if (!table.mySeats.includes(i)) return { kind: "friend" };
    if (mine) return { kind: "here" };
    mine = true;
    return { kind: "me" };
  });
  const clock = state.clock?.control;
  return {
    ...(from ? { position: from } : { game: data.game, options: data.options }),
    seats,
    takebacks: state.takebackRule ?? true,
    confirm: state.confirm ?? false,
    chat: state.chat ?? false,
    explore: state.explore ?? true,
    ...(clock ? { clock } : {}),
  };
}
