/** The challenges that wait for one's answer, and those one has sent. */
import { ask } from "./api";
import type { ChallengesResponse } from "./protocol.generated";

class Challenges {
  now: ChallengesResponse = $state.raw({ challenges: [], sent: [] });

  /** Do something about them, or only look. */
  async after(what: Promise<unknown> = ask.get("/api/me/challenges")): Promise<void> {
    this.now = (await what) as ChallengesResponse;
  }
  /** Who was challenged to a game at a table; null where nobody was. */
  to(table: string): string | null {
    return this.now.sent.find((one) => one.table === table)?.to.name ?? null;
  }
}
export const challenges = new Challenges();
