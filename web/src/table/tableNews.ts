/** Notices about events at a table, other than moves and takebacks. */
import type { State, TableEvent } from "../lib/types";
import { listed, t, type PlainKey } from "../words/words";

const ASKS = ["offer.draw", "offer.takeback", "offer.adjourn", "offer.continue", "offer.rematch"] as const;
const MINE = ["mine.draw", "mine.takeback", "mine.adjourn", "mine.continue", "mine.rematch"] as const;
const CALLED_OFF: Readonly<Record<string, PlainKey>> = { expired: "news.expired", declined: "news.declinedBot" };
/** What the viewer has asked the others. */
export const ownOfferWords = (what: string): string => t(MINE.find((key) => key === `mine.${what}`) ?? "mine.other");
/** A player's request to the others. */
export const offerWords = (what: string, name: string): string =>
  t(ASKS.find((key) => key === `offer.${what}`) ?? "offer.other", { name });
const REFUSED: Readonly<Record<string, PlainKey>> = {
  "stale-ply": "news.stale",
  "not-your-turn": "news.notTurn",
  over: "news.over",
  adjourned: "news.adjourned",
};

interface Resigned {
  seat: number;
  state: Pick<State, "over" | "out" | "seats">;
}

interface News {
  notice: string;
  /** whether a sound is played too */
  chime: boolean;
}

/** Return that a player resigned, and who plays on if the game goes on. */
function resignWords({ seat, state }: Resigned, name: (seat: number) => string, own: boolean): string {
  const staying = state.over ? [] : state.seats.flatMap((_, one) => (state.out.includes(one) ? [] : [name(one)]));
  if (staying.length < 2) return own ? t("out.resigned") : t("news.resigns", { name: name(seat) });
  const others = listed(staying);
  return own ? t("standing.resigned", { others }) : t("news.resignsOn", { name: name(seat), others });
}

/** Return the notice about `event`, or null. `name` and `side` name a seat by who sits there and by the game; `mine`
 * returns whether it is the viewer's. */
export function newsOf(
  event: TableEvent,
  name: (seat: number) => string,
  side: (seat: number) => string,
  mine: (seat: number) => boolean,
): News | null {
  const quiet = (notice: string): News => ({ notice, chime: false });
  switch (event.kind) {
    case "offer":
      return mine(event.seat)
        ? quiet(ownOfferWords(event.what))
        : { notice: offerWords(event.what, name(event.seat)), chime: true };
    case "declined":
      return quiet(t("news.declined"));
    case "resign":
      return quiet(resignWords(event, name, mine(event.seat)));
    case "flag":
      return { notice: mine(event.seat) ? t("news.ownTime") : t("news.flag", { name: name(event.seat) }), chime: true };
    case "sit": {
      const who = event.name ?? event.state.seats[event.seat]?.name ?? t("news.player");
      return { notice: t("news.sits", { who, player: side(event.seat) }), chime: !mine(event.seat) };
    }
    case "lots":
      return { notice: t("news.lots"), chime: false };
    case "stand":
      return quiet(t("news.stands", { player: side(event.seat) }));
    case "abort":
      return quiet(t(CALLED_OFF[event.reason ?? ""] ?? "news.off"));
    case "adjourn":
      return quiet(t("news.adjourned"));
    case "continue":
      return { notice: t("news.goesOn"), chime: true };
    case "claim":
      return quiet(
        event.what === "engine"
          ? t("news.engine", { name: mine(event.seat) ? side(event.seat) : name(event.seat) })
          : mine(event.seat)
            ? t("news.ownLeft")
            : t("news.gone", { name: name(event.seat) }),
      );
    default:
      return null;
  }
}

/** Return why a command was refused, as a sentence. */
export const refusalWords = (code: string, why: string): string => (REFUSED[code] ? t(REFUSED[code]) : why);

/** Return what an action did, without a last sentence that `result` says too. */
export function withoutResult(says: readonly string[], result: string): readonly string[] {
  const last = says.at(-1)?.slice(0, -1);
  return last && result.startsWith(last) ? says.slice(0, -1) : says;
}
