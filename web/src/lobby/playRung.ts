/** "Play now": opens a game against an opponent of the ladder. */
import { seatsAgainst, keepPlayed } from "./customGame";
import { beginFirstGame, guideOnwards } from "../lessons/firstGame";
import { notice, wordsOf } from "../lib/announce.svelte";
import { api } from "../lib/api";
import { keepNext, type Rung } from "../lib/ladder";
import { openTable } from "../lib/openTable";
import { go } from "../lib/router.svelte";
import type { GameData } from "../lib/types";

export async function playRung(game: GameData, { level, board }: Rung): Promise<void> {
  void api.rules(game.name); // the table draws the players' goals from them
  try {
    const seats = seatsAgainst("engine", game.players.length, 0, level);
    const options = { ...board.options };
    const table = await openTable({ game: game.name, options, seats });
    keepNext(game.name, level);
    keepPlayed(game, options, seats);
    if (level === game.quickStart.level) beginFirstGame(game.name, game.title, table);
    else guideOnwards(game.name, table);
    go(`/t/${table}`);
  } catch (error) {
    notice(wordsOf(error), true);
  }
}
