/** A study of one change of the rules: games with the usual options and with the changed ones, and what differs. */
import { wordsOf } from "../lib/announce.svelte";
import { ask, type Answering, type Lots } from "../lib/api";
import { packed, unpacked } from "../lib/packing";
import type { DialComparison } from "../lib/types";
import { freshSeed, Played, SIDES, type Job, type Part, type Side } from "./lots";
import { Backends } from "./backends.svelte";

export type Options = Record<string, unknown>;

/** What a link to a study carries. */
interface DialData {
  game: string;
  usual: Options;
  changed: Options;
  level: number;
  parts: readonly Part[];
  /** games of a lot */
  games: number;
  lots: Record<Side, Lots>;
}

const QUICK = 150; // ms: a request that took less may ask for twice as many games
const SLOW = 500; // ms: and one that took more, for half of them
const MOST_LOTS = 32; // of one request, of random games
const LIMIT = 4000; // lots of each set of options
const CHECKED = 3; // lots of a link that are replayed
const LOOKS = 1.1; // games are compared when there are so many times as many

export class DialStudy {
  usual = $state.raw<Options>({});
  changed = $state.raw<Options>({});
  level = $state(0);
  lots = $state.raw<Record<Side, Lots>>({ usual: [], changed: [] });
  players = $state.raw<readonly string[]>([]);
  found = $state.raw<DialComparison | null>(null);
  /** how the interval of the first player's points has narrowed: games, low, high */
  narrowing = $state.raw<readonly (readonly [games: number, low: number, high: number])[]>([]);
  running = $state(false);
  fault = $state("");
  /** the games of the link that were replayed, and whether they ended as it says */
  check = $state.raw<{ games: number; same: boolean } | null>(null);
  checking = $state(false);
  readonly backends = new Backends();
  #parts: readonly Part[] = [[0, freshSeed()]];
  /** the study comes from a link and has no games of this visitor yet */
  #linked = false;
  #games = 0;
  #stop: AbortController | null = null;

  constructor(readonly game: string) {}

  readonly differs = $derived(
    Object.keys({ ...this.usual, ...this.changed }).some((name) => this.usual[name] !== this.changed[name]),
  );
  readonly full = $derived(this.lots.changed.length >= LIMIT);
  readonly settled = $derived(
    this.found !== null &&
      [...this.found.shares, this.found.draws].every(({ verdict }) => verdict !== null && verdict !== "inconclusive"),
  );

  /** Compare other options, or other players. Games that are the same in both studies are kept. */
  set(usual: Options, changed: Options, level: number): void {
    this.stop();
    const same = level === this.level && JSON.stringify(usual) === JSON.stringify(this.usual);
    this.lots = { usual: same ? this.lots.usual : [], changed: [] };
    if (!same) [this.#parts, this.#linked] = [[[0, freshSeed()]], false];
    [this.usual, this.changed, this.level] = [usual, changed, level];
    [this.found, this.narrowing, this.fault, this.check] = [null, [], "", null];
  }

  stop(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.running = false;
  }

  /** Stop, compare what has been played, and free the device. */
  async halt(): Promise<void> {
    this.stop();
    const compared = this.lots.changed.length ? this.backends.once((by) => this.#compare(by)) : null;
    await compared?.catch((error: unknown) => (this.fault = wordsOf(error)));
    if (!this.running) this.backends.end();
  }

  /** Free the device. */
  leave(): void {
    this.stop();
    this.backends.end();
  }

  async run(): Promise<void> {
    this.stop();
    const stop = (this.#stop = new AbortController());
    [this.running, this.fault] = [true, ""];
    if (this.#linked) this.#parts = [...this.#parts, [this.lots.usual.length, freshSeed()]];
    this.#linked = false;
    const played = new Played(this.lots, this.#parts);
    let [size, next] = [1, 0];
    const step = async (by: Answering): Promise<boolean> => {
      const began = performance.now();
      const job = played.next(this.level === 0 ? Math.ceil(size) : 1, LIMIT);
      if (!job) return false;
      const lots = await this.#play(job, stop.signal, by).catch((error: unknown) => {
        played.giveBack(job);
        throw error;
      });
      if (stop.signal.aborted) return false;
      played.take(job, lots);
      this.lots = { ...played.lots };
      const took = performance.now() - began;
      size = took < QUICK ? Math.min(MOST_LOTS, 2 * size) : took > SLOW ? size / 2 : size;
      const count = Math.min(this.lots.usual.length, this.lots.changed.length);
      if (count <= next) return true;
      next = LOOKS * count;
      await this.#compare(by, stop.signal);
      if (this.settled) this.stop();
      return true;
    };
    try {
      await this.backends.spread(step, stop.signal);
      if (!stop.signal.aborted) await this.backends.once((by) => this.#compare(by, stop.signal));
    } catch (error) {
      if (!stop.signal.aborted) this.fault = wordsOf(error);
    } finally {
      if (this.#stop === stop) this.stop();
    }
  }

  async #play({ side, first, count, seed }: Job, signal: AbortSignal, by: Answering): Promise<Lots> {
    const wanted = { game: this.game, options: this[side], level: this.level, seed, first, lots: count };
    const found = await ask("POST /api/dial", wanted, { signal, by });
    this.#games = found.games;
    if (side === "changed") this.players = found.players;
    return found.lots;
  }

  async #compare(by: Answering, signal?: AbortSignal): Promise<void> {
    const { usual, changed } = this.#common;
    if (!changed.length) return;
    const found = await ask("POST /api/dial/compare", { usual, changed, games: this.#games }, { by });
    if (signal?.aborted || found.games < (this.found?.games ?? 0)) return;
    this.found = found;
    const { low, high } = found.shares[0] ?? {};
    if (typeof low === "number" && typeof high === "number" && this.narrowing.at(-1)?.[0] !== found.games)
      this.narrowing = [...this.narrowing, [found.games, low, high]];
  }

  /** the lots that both sets of options have */
  get #common(): Record<Side, Lots> {
    const { usual, changed } = this.lots;
    const count = Math.min(usual.length, changed.length);
    return { usual: usual.slice(0, count), changed: changed.slice(0, count) };
  }

  /** Return the study as a part of an address. */
  link(): Promise<string> {
    const { game, usual, changed, level } = this;
    const data: DialData = { game, usual, changed, level, parts: this.#parts, games: this.#games, lots: this.#common };
    return packed(data);
  }

  /** Open the study of a link, and replay a few of its games. Return whether there is one. */
  async open(text: string): Promise<boolean> {
    const data = (await unpacked(text)) as Partial<DialData> | null;
    if (!isStudy(data) || data.game !== this.game) return false;
    [this.usual, this.changed, this.level, this.lots] = [data.usual, data.changed, data.level, data.lots];
    [this.#parts, this.#linked, this.#games] = [data.parts, true, data.games];
    this.lots = this.#common;
    const stop = (this.#stop = new AbortController());
    this.checking = true;
    try {
      let same = true;
      const last = this.lots.usual.length - 1;
      const numbers = new Set(Array.from({ length: CHECKED }, (_, at) => Math.round((last * at) / (CHECKED - 1))));
      const played = new Played(this.lots, this.#parts);
      const jobs = SIDES.flatMap((side) => Array.from(numbers, (number) => played.job(side, number, 1)));
      await this.backends.spread(async (by) => {
        const job = jobs.pop();
        if (!job) return false;
        const [again] = await this.#play(job, stop.signal, by).catch((error: unknown) => {
          jobs.push(job);
          throw error;
        });
        same &&= this.#games === data.games && JSON.stringify(again) === JSON.stringify(this.lots[job.side][job.first]);
        return true;
      }, stop.signal);
      if (stop.signal.aborted) return true;
      this.#games = data.games;
      this.check = { games: 2 * numbers.size * data.games, same };
      await this.backends.once((by) => this.#compare(by));
    } catch (error) {
      if (!stop.signal.aborted) this.fault = wordsOf(error);
    } finally {
      this.checking = false;
    }
    return true;
  }
}

const isOptions = (value: unknown): value is Options => typeof value === "object" && value !== null;
const isLots = (value: unknown): value is Lots =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= LIMIT &&
  value.every((lot) => Array.isArray(lot) && lot.length > 2 && lot.every((one) => typeof one === "number"));
const isParts = (value: unknown): value is readonly Part[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every(
    (part: unknown, at) =>
      Array.isArray(part) &&
      part.length === 2 &&
      part.every((one) => Number.isInteger(one)) &&
      (at === 0 ? part[0] === 0 : Number(part[0]) > Number((value as Part[])[at - 1]?.[0])),
  );

function isStudy(data: Partial<DialData> | null): data is DialData {
  return (
    typeof data?.game === "string" &&
    isOptions(data.usual) &&
    isOptions(data.changed) &&
    [data.level, data.games].every((one) => Number.isInteger(one)) &&
    isParts(data.parts) &&
    isLots(data.lots?.usual) &&
    isLots(data.lots.changed)
  );
}
