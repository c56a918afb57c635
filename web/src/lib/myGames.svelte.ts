/** The player's games in progress, and in how many it is their turn. Every page shows the count. */
import { ask } from "./api";
import { flag, nudge } from "./notify.svelte";
import { route } from "./router.svelte";
import { recent } from "./seats";
import { keep, kept } from "../storage/kept";
import { enumerated, t } from "../words/words";

interface MyGame {
  id: string;
  title: string;
  /** the names of the opponents */
  against: string;
  yourTurn: boolean;
}
const EVERY = 20_000;

class MyGames {
  /** as last known, until the first answer of this visit */
  games: MyGame[] = $state.raw(kept("games", []));
  /** whether that answer has come */
  known = $state(false);
  /** the tables at which it was the player's turn at the last check */
  #turns: ReadonlySet<string> | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Check from time to time while the page is open; return a function that stops it. */
  watch(): () => void {
    const again = (): void => void this.refresh();
    const seen = (): void => {
      if (document.visibilityState === "visible") again();
    };
    again();
    this.#timer = setInterval(again, EVERY);
    document.addEventListener("visibilitychange", seen);
    return () => {
      clearInterval(this.#timer);
      document.removeEventListener("visibilitychange", seen);
    };
  }

  async refresh(): Promise<void> {
    try {
      const held = recent().filter((one) => !one.over && one.seats?.length);
      const found = await ask("GET /api/me/tables", { table: held.map((one) => one.id) }, { quiet: this.known });
      this.games = found.tables
        .filter((table) => !table.over)
        .map((table) => {
          const mine = new Set([...table.yourSeats, ...(held.find((one) => one.id === table.id)?.seats ?? [])]);
          const others = table.seats.flatMap((seat, i) =>
            mine.has(i) || seat.kind === "open" ? [] : [seat.name ?? t("seat.friend")],
          );
          return {
            id: table.id,
            title: table.title,
            against: enumerated(others) || (table.seats.some((seat) => seat.kind === "open") ? "" : t("mine.atScreen")),
            yourTurn: table.mover !== null && mine.has(table.mover),
          };
        })
        .sort((a, b) => Number(b.yourTurn) - Number(a.yourTurn));
      const turns = new Set(this.games.filter((game) => game.yourTurn).map((game) => game.id));
      for (const game of this.games)
        if (this.#turns && game.yourTurn && !this.#turns.has(game.id) && route.path !== `/t/${game.id}`)
          nudge(t("mine.turn", { title: game.title }), game.id);
      this.#turns = turns;
      flag(this.games.some((game) => game.yourTurn));
      this.known = true;
      keep("games", this.games);
    } catch {
      // the next check will do
    }
  }
}
export const myGames = new MyGames();
