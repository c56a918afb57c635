/** The occupants of seats, in words. */
import { rated } from "./format";
import type { Away, Badge, Clock, Person, Preparing, SeatData } from "./types";
import { t } from "../words/words";

export interface Sitting {
  seats: readonly SeatData[];
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
  mine: [],
  replaced: [],
  resigned: [],
  away: [],
  thinking: null,
  preparing: null,
  clock: null,
  retractions: null,
};

const named = (seat: SeatData): string =>
  seat.name ? `${seat.name}${seat.rating == null ? "" : ` (${rated(seat.rating)})`}` : "";

/** Return who sits at `player`'s place; empty where that is obvious. */
export function seatWords(
  { seats, mine, replaced }: Pick<Sitting, "seats" | "mine" | "replaced">,
  player: number,
): string {
  const seat = seats[player];
  if (!seat) return "";
  const [own, alone] = [mine.includes(player), mine.length === seats.length];
  if (own && mine.length === 1 && !alone) return named(seat);
  if (replaced.includes(player)) return seat.name ? t("seat.engineFor", { name: seat.name }) : t("seat.engineForGone");
  if (seat.kind === "engine") return seat.name ?? t("seat.engineLevel", { level: seat.level ?? "?" });
  if (seat.kind === "open") return t("seat.free");
  if (alone) return "";
  if (seat.name) return named(seat);
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
