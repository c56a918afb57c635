/** Quick pairing: the server answers with lines of JSON for as long as one waits; to hang up is to cancel. */
import { ladderOf } from "../lib/ladder";
import { playRung } from "./playRung";
import { announce, notice, wordsOf } from "../lib/announce.svelte";
import { answer, api, reach, ServerError } from "../lib/api";
import { nudge } from "../lib/notify.svelte";
import { go } from "../lib/router.svelte";
import { seeking, type QuickGame } from "./seeking.svelte";
import { t } from "../words/words";

const AGAIN = 2000; // milliseconds until a lost connection is tried again
let waiting: AbortController | null = null;

/** Wait for an opponent; the game opens when there is one. */
export async function seek(wish: QuickGame): Promise<void> {
  cancelSeek();
  const mine = (waiting = new AbortController());
  seeking.wish = wish;
  announce(t("quick.looking", { game: wish.title, time: wish.time }));
  while (waiting === mine) {
    try {
      const last = await lastLine(wish, mine.signal);
      if (last?.type === "paired" && last.table) {
        cancelSeek();
        nudge(t("quick.found", { game: wish.title }), last.table);
        go(`/t/${last.table}`, false, true);
      } else if (last?.type === "replaced") {
        cancelSeek();
        notice(t("quick.elsewhere"));
      }
    } catch (error) {
      if (waiting !== mine) return;
      if (error instanceof ServerError && error.code !== "unavailable") {
        cancelSeek();
        notice(error.message, true);
        return;
      }
    }
    await new Promise((done) => setTimeout(done, AGAIN));
  }
}

export function cancelSeek(): void {
  waiting?.abort();
  waiting = seeking.wish = null;
}

/** Play an engine as the game is quickly begun; `instead` of waiting, or meanwhile. */
export async function playEngine(name: string, instead: boolean): Promise<void> {
  if (instead) cancelSeek();
  try {
    const game = (await api.games()).find((one) => one.name === name);
    if (!game) return;
    await playRung(game, ladderOf(game).next);
  } catch (error) {
    notice(wordsOf(error), true);
  }
}

interface Line {
  type: "waiting" | "paired" | "replaced";
  table?: string;
}
/** The last line of the answer to a wish, once it has come. */
async function lastLine({ game, time, rated }: QuickGame, signal: AbortSignal): Promise<Line | null> {
  const response = await reach("/api/pairing", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ game, time, rated }),
    signal,
  });
  if (!response.ok) await answer(response);
  const lines = (await response.text()).split("\n").filter(Boolean);
  return lines.length ? (JSON.parse(lines.at(-1) ?? "") as Line) : null;
}
