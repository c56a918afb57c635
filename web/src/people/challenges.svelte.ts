/** The challenges that the player has received and sent. */
import { ask } from "../lib/api";
import type { ChallengesResponse } from "../lib/types";

class Challenges {
  now: ChallengesResponse = $state.raw({ challenges: [], sent: [] });

  /** Run a request about challenges, if given, and load them again. */
  async after(what = ask("GET /api/me/challenges", {}, { quiet: true })): Promise<void> {
    this.now = await what;
  }
  /** Return who was challenged to the game at a table, or null. */
  to(table: string): string | null {
    return this.now.sent.find((one) => one.table === table)?.to.name ?? null;
  }
}
export const challenges = new Challenges();
