/** A study of one change of the rules: games with the usual options and with the changed ones, and what differs. */
import { api, reason, type Lots } from "../lib/api";
import { packed, unpacked } from "../lib/packing";
import type { DialComparison } from "../lib/types";
import { t } from "../words/words";

export type Options = Record<string, unknown>;
type Side = "usual" | "changed";
const SIDES: readonly Side[] = ["usual", "changed"];

/** What a link to a study carries. */
export interface DialData {
  game: string;
  usual: Options;
  changed: Options;
  level: number;
  seed: number;
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

const fresh = (): number => Math.floor(Math.random() * 1_000_000);

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
  #seed = fresh();
  #games = 0;
  #stop: AbortController | null = null;
  readonly game: string;

  constructor(game: string) {
    this.game = game;
  }

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
    [this.usual, this.changed, this.level] = [usual, changed, level];
    [this.found, this.narrowing, this.fault, this.check] = [null, [], "", null];
  }

  stop(): void {
    this.#stop?.abort();
    this.#stop = null;
    this.running = false;
  }

  /** Stop, and compare what has been played. */
  async halt(): Promise<void> {
    this.stop();
    if (!this.lots.changed.length) return;
    await this.#compare().catch((error: unknown) => (this.fault = reason(error, t("common.failed"))));
  }

  async run(): Promise<void> {
    this.stop();
    const stop = (this.#stop = new AbortController());
    [this.running, this.fault] = [true, ""];
    let size = 1;
    let next = 0;
    try {
      while (!stop.signal.aborted && !this.full) {
        const began = performance.now();
        const to = Math.min(LIMIT, this.lots.changed.length + size);
        for (const side of SIDES) {
          while (this.lots[side].length < to) {
            const lots = Math.min(size, to - this.lots[side].length);
            const more = await this.#play(side, this.lots[side].length, lots, stop.signal);
            if (stop.signal.aborted) return;
            this.lots = { ...this.lots, [side]: [...this.lots[side], ...more] };
          }
        }
        const took = (performance.now() - began) / 2;
        if (this.level === 0)
          size = took < QUICK ? Math.min(MOST_LOTS, 2 * size) : took > SLOW ? Math.ceil(size / 2) : size;
        if (to < next) continue;
        next = Math.ceil(LOOKS * to);
        await this.#compare(stop.signal);
        if (this.settled) break;
      }
      if (!stop.signal.aborted) await this.#compare(stop.signal);
    } catch (error) {
      if (!stop.signal.aborted) this.fault = reason(error, t("common.failed"));
    } finally {
      if (this.#stop === stop) this.stop();
    }
  }

  async #play(side: Side, first: number, lots: number, signal: AbortSignal): Promise<Lots> {
    const ask = { game: this.game, options: this[side], level: this.level, seed: this.#seed, first, lots };
    const found = await api.dial(ask, signal);
    this.#games = found.games;
    if (side === "changed") this.players = found.players;
    return found.lots;
  }

  async #compare(signal?: AbortSignal): Promise<void> {
    const { usual, changed } = this.lots;
    const found = await api.compareDial(usual.slice(0, changed.length), changed, this.#games);
    if (signal?.aborted) return;
    this.found = found;
    const { low, high } = found.shares[0] ?? {};
    if (typeof low === "number" && typeof high === "number" && this.narrowing.at(-1)?.[0] !== found.games)
      this.narrowing = [...this.narrowing, [found.games, low, high]];
  }

  /** Return the study as a part of an address. */
  link(): Promise<string> {
    const { game, usual, changed, level, lots } = this;
    const data: DialData = { game, usual, changed, level, seed: this.#seed, games: this.#games, lots };
    return packed(data);
  }

  /** Open the study of a link, and replay a few of its games. Return whether there is one. */
  async open(text: string): Promise<boolean> {
    const data = (await unpacked(text)) as Partial<DialData> | null;
    if (!isStudy(data) || data.game !== this.game) return false;
    [this.usual, this.changed, this.level, this.lots] = [data.usual, data.changed, data.level, data.lots];
    [this.#seed, this.#games] = [data.seed, data.games];
    const stop = (this.#stop = new AbortController());
    this.checking = true;
    try {
      let same = true;
      const last = Math.min(this.lots.usual.length, this.lots.changed.length) - 1;
      const numbers = new Set(Array.from({ length: CHECKED }, (_, at) => Math.round((last * at) / (CHECKED - 1))));
      for (const side of SIDES)
        for (const number of numbers) {
          const [again] = await this.#play(side, number, 1, stop.signal);
          same &&= this.#games === data.games && JSON.stringify(again) === JSON.stringify(this.lots[side][number]);
        }
      this.#games = data.games;
      this.check = { games: 2 * numbers.size * data.games, same };
      await this.#compare();
    } catch (error) {
      this.fault = reason(error, t("common.failed"));
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

function isStudy(data: Partial<DialData> | null): data is DialData {
  return (
    typeof data?.game === "string" &&
    isOptions(data.usual) &&
    isOptions(data.changed) &&
    [data.level, data.seed, data.games].every((one) => Number.isInteger(one)) &&
    isLots(data.lots?.usual) &&
    isLots(data.lots.changed)
  );
}
