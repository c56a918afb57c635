/** Where the games of the dial are played: on this device in several workers at once, or else where the page is answered. */
import type { GameWorker } from "../device/gameWorkers";
import { thinksHere } from "../device/thinking.svelte";
import type { Answering } from "../lib/api";
import { backend } from "../lib/backend";

const MOST = 4; // workers

export class Backends {
  /** progress of the start of the workers, from 0 to 1 */
  started = $state(1);
  /** workers of this device play */
  here = $state(false);
  #workers: GameWorker[] = [];

  /** Call `work` again and again, everywhere at once, until it returns that nothing is left to do. What fails in a
   * worker is left to the page's backend. */
  async spread(work: (by: Answering) => Promise<boolean>, signal: AbortSignal): Promise<void> {
    const go = async (by: Answering, wanted = (): boolean => true): Promise<void> => {
      while (!signal.aborted && wanted() && (await work(by)));
    };
    let here = false;
    const all = (await this.#alive(signal)).map(async (worker) => {
      await worker.ready;
      this.here = here = true;
      await go(worker);
    });
    if (!backend.device) all.push(go(backend, () => !here));
    await Promise.allSettled(all);
    await go(backend);
  }

  /** Do something once, in a worker if one has started. */
  async once<T>(work: (by: Answering) => Promise<T>): Promise<T> {
    const worker = this.#workers.find(({ started, ended }) => started === 1 && !ended);
    return worker ? work(worker).catch(() => work(backend)) : work(backend);
  }

  /** Free the processors and the memory of the workers. */
  end(): void {
    for (const worker of this.#workers.splice(0)) worker.end();
    this.started = 1;
  }

  async #alive(signal: AbortSignal): Promise<readonly GameWorker[]> {
    if (!backend.device && !thinksHere()) return [];
    const module = await import("../device/gameWorkers").catch(() => null);
    if (!module || signal.aborted) return [];
    const changed = (): void => {
      this.started = Math.max(...this.#workers.map(({ started }) => started));
    };
    this.#workers = this.#workers.filter(({ ended }) => !ended);
    const wanted = Math.max(1, Math.min(MOST, navigator.hardwareConcurrency - 1));
    while (this.#workers.length < wanted) this.#workers.push(new module.GameWorker(changed));
    changed();
    return this.#workers;
  }
}
