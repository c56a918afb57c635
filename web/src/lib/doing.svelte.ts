/** Something that is asked of the server, one at a time, and what went wrong. */
import { notice } from "./announce.svelte";
import { reason } from "./api";
import { t } from "../words/words";

export class Doing {
  busy = $state(false);
  fault = $state("");
  readonly #aloud: boolean;

  /** `aloud`: what goes wrong is a notice; else it stays in `fault`, to be shown where it was asked. */
  constructor(aloud = false) {
    this.#aloud = aloud;
  }

  /** Do it, unless something else is being done; whether it was done. `done` is said then. */
  async run(what: () => Promise<unknown>, done = ""): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.fault = "";
    try {
      await what();
      if (done) notice(done);
      return true;
    } catch (error) {
      const why = reason(error, t("common.failed"));
      if (this.#aloud) notice(why, true);
      else this.fault = why;
      return false;
    } finally {
      this.busy = false;
    }
  }
}
