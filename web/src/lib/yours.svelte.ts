/** The games that one plays now, wherever one is on the page, and in how many it is one's turn. */
import { api, ask } from "./api";
import { flag } from "./notify.svelte";

export interface YourGame {
  id: string;
  title: string;
  /** who else sits there */
  against: string;
  yourTurn: boolean;
  speed: string;
}
interface Told {
  id: string;
  game: string;
  seats: { name: string | null; kind: string; yours: boolean }[];
  yourTurn: boolean;
  speed: string;
}
const EVERY = 20_000;

class Yours {
  games: YourGame[] = $state.raw([]);
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Look now and then for as long as the page is open; returns what ends it. */
  watch(): () => void {
    const look = (): void => void this.look();
    const seen = (): void => {
      if (document.visibilityState === "visible") look();
    };
    look();
    this.#timer = setInterval(look, EVERY);
    document.addEventListener("visibilitychange", seen);
    return () => {
      clearInterval(this.#timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }

  async look(): Promise<void> {
    try {
      const [found, games] = await Promise.all([ask.get("/api/me/tables") as Promise<{ tables: Told[] }>, api.games()]);
      const titles = new Map(games.map((game) => [game.name, game.title]));
      this.games = found.tables
        .map((table) => ({
          id: table.id,
          title: titles.get(table.game) ?? table.game,
          against: table.seats.flatMap((seat) => (seat.yours || seat.kind === "open" ? [] : [seat.name || seat.kind])).join(", "),
          yourTurn: table.yourTurn,
          speed: table.speed,
        }))
        .sort((a, b) => Number(b.yourTurn) - Number(a.yourTurn));
      flag(this.games.some((game) => game.yourTurn));
    } catch {
      // looked for again in a while
    }
  }
}
export const yours = new Yours();
