/** What is said of something that happened at a table, besides actions and takebacks. */
import type { TableEvent } from "./types";

const ASKS: Readonly<Record<string, string>> = {
  draw: "offers a draw",
  takeback: "asks to take a move back",
  adjourn: "asks to adjourn the game",
  continue: "asks to go on with the game",
  rematch: "offers a rematch",
};
const CALLED_OFF: Readonly<Record<string, string>> = {
  expired: "Nobody came; the game is called off.",
  declined: "The bot declined; the game is called off.",
};
const REFUSED: Readonly<Record<string, string>> = {
  "stale-ply": "The game had gone on meanwhile.",
  "not-your-turn": "It is not your turn.",
  over: "The game is over.",
  adjourned: "The game is adjourned.",
};

export interface News {
  notice: string;
  /** whether it is heard too */
  chime: boolean;
}

/** The news of `event`, null where there is none. `name` names a seat, `mine` says whether it is one's own. */
export function newsOf(
  event: TableEvent,
  name: (seat: number) => string,
  mine: (seat: number) => boolean,
): News | null {
  const quiet = (notice: string): News => ({ notice, chime: false });
  switch (event.kind) {
    case "offer":
      return { notice: `${name(event.seat)} ${ASKS[event.what] ?? "asks something"}.`, chime: !mine(event.seat) };
    case "declined":
      return quiet("Declined.");
    case "resign":
      return quiet(`${name(event.seat)} resigns.`);
    case "flag":
      return { notice: `${name(event.seat)} has run out of time.`, chime: true };
    case "sit": {
      const who = event.name ?? event.state.seats[event.seat]?.name ?? "Somebody";
      return { notice: `${who} takes the seat of ${name(event.seat)}.`, chime: !mine(event.seat) };
    }
    case "stand":
      return quiet(`The seat of ${name(event.seat)} is free again.`);
    case "abort":
      return quiet(CALLED_OFF[event.reason ?? ""] ?? "The game is called off: as if it had not been played.");
    case "adjourn":
      return quiet("The game is adjourned.");
    case "continue":
      return { notice: "The game goes on.", chime: true };
    case "claim":
      return quiet(
        event.what === "engine" ? `An engine plays on for ${name(event.seat)}.` : `${name(event.seat)} has gone.`,
      );
    default:
      return null;
  }
}

/** Why a command was refused, as a sentence. */
export const refusalWords = (code: string, why: string): string =>
  REFUSED[code] ?? `${why.charAt(0).toUpperCase()}${why.slice(1)}`;
