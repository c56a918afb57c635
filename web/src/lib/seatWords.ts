/** The occupants of seats, in words. */
import { rated } from "./format";
import type { Away, Badge, Clock, Person, Preparing, SeatData } from "./types";
import { enumerated, t, upper } from "../words/words";

export interface Sitting {
  seats: readonly SeatData[];
  /** the players as the viewer knows them: see `namesOf` */
  names: readonly string[];
  /** the seats of the viewer */
  mine: readonly number[];
  /** seats that an engine has taken over */
  replaced: readonly number[];
  resigned: readonly number[];
  away: readonly Away[];
  thinking: number | null;
  /** whether the engine is compiling its code, which happens once on a machine */
  preparing: Preparing | null;
  clock: Clock | null;
  /** the takebacks that each player has left; an engine takes nothing back */
  retractions: readonly number[] | null;
  /** Return what shares the link to a player's open seat; undefined for other seats. */
  oninvite?: (player: number) => (() => void) | undefined;
}
/** Where no one sits: a board to look at. */
export const NO_SEATS: Sitting = {
  seats: [],
  names: [],
  mine: [],
  replaced: [],
  resigned: [],
  away: [],
  thinking: null,
  preparing: null,
  clock: null,
  retractions: null,
};

/** Return the names at a table: "You" at the viewer's only seat `own`, else who sits there: a person without a name is a
 * friend, and other seats, and those of players who share this screen, have only their `side`. */
export const namesOf = (sides: readonly string[], seats: readonly SeatData[], own: number | null): string[] =>
  sides.map((side, seat) => {
    if (seat === own) return t("seat.you");
    const { name, kind, here } = seats[seat] ?? {};
    if (here) return side; // several share this screen
    return name ?? (kind === "person" && own !== null ? upper(t("seat.friend")) : side);
  });

/** Return what stands beside the name of `player`: the kind of a nameless player, an engine's level, a rating. */
export function seatWords(
  { seats, mine, replaced }: Pick<Sitting, "seats" | "mine" | "replaced">,
  player: number,
): string {
  const seat = seats[player];
  if (!seat) return "";
  const [own, alone] = [mine.includes(player), mine.length === seats.length];
  if (replaced.includes(player)) return t("seat.engineForGone");
  if (seat.kind === "engine") return t("seat.engineLevel", { level: seat.level ?? "?" });
  if (seat.kind === "open") return t("seat.free");
  const points = seat.rating == null ? "" : rated(seat.rating);
  if (own && mine.length === 1 && !alone) return enumerated([seat.name, points]); // as the others see them
  if (points || seat.name || alone || mine.length === 1) return points;
  return own ? t("seat.atHere") : t("seat.friend");
}

/** Return what else is known of a rating. */
export function ratingWords(seat: SeatData | undefined): string | undefined {
  const found = seat?.rating;
  return found && typeof found === "object"
    ? t("seat.ratingBetween", { low: Math.round(found.low), high: Math.round(found.high) })
    : undefined;
}

/** Return the badge beside the name of a person of this kind. */
export const badgeOf = (kind: Person["kind"]): Badge =>
  kind === "staff" ? "moderator" : kind === "account" ? null : kind;
