/** Something that is asked of the server, one at a time, and what went wrong. */
import { notice } from "./announce.svelte";
import { reason } from "./api";

export class Doing {
  busy = $state(false);
  fault = $state("");

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
      this.fault = reason(error, "That did not work.");
      return false;
    } finally {
      this.busy = false;
    }
  }
}
