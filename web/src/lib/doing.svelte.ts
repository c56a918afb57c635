/** Requests to the server, one at a time, with the error of the last one. */
import { notice, wordsOf } from "./announce.svelte";

export class Doing {
  busy = $state(false);
  fault = $state("");

  /** With `aloud`, errors appear as notices; otherwise they stay in `fault`, to be shown beside the control. */
  constructor(private readonly aloud = false) {}

  /** Run a request unless one is running, announce `done`, and return whether it succeeded. */
  async run(what: () => Promise<unknown>, done = ""): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.fault = "";
    try {
      await what();
      if (done) notice(done);
      return true;
    } catch (error) {
      const why = wordsOf(error);
      if (this.aloud) notice(why, true);
      else this.fault = why;
      return false;
    } finally {
      this.busy = false;
    }
  }
}
