/** A table as this browser knows it. Everything shown follows from the server's messages. */
import { heard, serverTime } from "../panels/clock.svelte";
import { turnAt } from "../analysis/numbering";
import { pace } from "../lib/settings.svelte";
import { tableInSkin, tellNames, tellOf, type Tell } from "../board/skin";
import { hasFigures, ownable, type Transition, turnedCells } from "../board/state";
import { givenUpWords, namedResult } from "../board/tableWords";
import { namesOf } from "../lib/seatWords";
import { announce, notice, wordsOf } from "../lib/announce.svelte";
import { TableThinker } from "../device/thinking.svelte";
import { api, ask } from "../lib/api";
import { Live } from "./live";
import { nudge } from "../lib/notify.svelte";
import { sinceOwn } from "../lib/moves";
import { keepBeaten } from "../lib/ladder";
import { carryTokens, endOf, keepTokens, remember, seatTokens, type Ended } from "../lib/seats";
import { playEvents, playNotice, score } from "../lib/sound";
import { levied, moveTransfers } from "./transfers";
import { Talk } from "./talk.svelte";
import { newsOf, refusalWords, withoutResult } from "./tableNews";
import type { ActionEvent, Away, Fault, GameEvent, Info, Move, Offer, Preparing } from "../lib/types";
import type { Presence, SeatData, Snapshot, State, TableData, TableEvent, View } from "../lib/types";
import { ended, t, upper } from "../words/words";

/** while a game can still be aborted, its players may be on their way to it */
const ARRIVING = 20_000;
const SERVER_LEVEL = 10; // takes time instead of nodes, and thinks on the server

export class Table {
  data: TableData | null = $state.raw(null);
  state: State | null = $state.raw(null);
  moves: Move[] = $state.raw([]);
  seats: SeatData[] = $state.raw([]);
  transition: Transition | null = $state.raw(null);
  lastCells: string[] = $state.raw([]);
  /** what moves made players pay who did not move, by ply */
  paid: readonly GameEvent[][] = $state.raw([]);
  /** the engine that is thinking or compiling its code, which happens once on a machine */
  thinking: { seat: number; info: Info; preparing: Preparing | null } | null = $state.raw(null);
  online = $state(true);
  missing = $state("");
  refusals = $state(0);
  busy = $state(0);
  /** the ply shown when looking back, null for the current position */
  back: number | null = $state(null);
  backView: View | null = $state.raw(null);

  /** absent players and the number of spectators */
  away: Away[] = $state.raw([]);
  watchers = $state(0);
  readonly talk = new Talk();
  readonly playback = new Playback<TableEvent>(
    (message) => this.#event(message),
    (message) => message.kind === "action" && message.state.move.begins,
  );
  /** the table of the rematch, once all players have agreed */
  next = $state("");

  /** the game's statistics for each player, before the first action and after each one */
  tallies: (readonly number[] | undefined)[] = $state.raw([]);

  #live: Live;
  readonly #thinker: TableThinker;
  #views = new Map<number, View>();
  #serial = 0;
  #waiting = new Set<string>();
  #offline: ReturnType<typeof setTimeout> | undefined;
  #known = false;
  /** seats taken a moment ago, whose player's page is still loading */
  #arriving = new Set<number>();

  constructor(readonly id: string) {
    this.#thinker = new TableThinker(id, (message) => this.#live.say(message));
    this.#live = new Live(id, seatTokens(id), {
      snapshot: (message) => this.#snapshot(message),
      event: (message) => this.#arrived(message),
      thinking: (seat, info, preparing) => (this.thinking = { seat, info, preparing }),
      think: (question) => void this.#thinker.think(question),
      here: (presence) => this.#present(presence),
      said: (lines, all) => this.talk.heard(lines, all, this.mySeats),
      refused: (fault, command) => this.#refused(fault, command?.type),
      online: (is) => this.#connection(is),
      settled: (done) => {
        this.#waiting.delete(done);
        this.busy = this.#waiting.size;
      },
    });
  }

  #present(presence: Presence): void {
    const before = new Map(this.away.map((one) => [one.seat, one.since]));
    for (const one of presence.seats) {
      if (this.mySeats.includes(one.seat) || this.over) continue;
      const name = this.names[one.seat] ?? "";
      const sat = one.since === null && this.#arriving.delete(one.seat);
      if (one.since === null && this.expected.includes(one.seat)) notice(t("table.come", { name }));
      else if (sat) continue;
      else if (one.since !== null && before.get(one.seat) === null) announce(t("news.gone", { name }));
      else if (one.since === null && before.get(one.seat) != null) announce(t("table.back", { name }));
    }
    this.away = presence.seats;
    this.watchers = presence.watchers;
    this.#heard();
  }
  #heard(): void {
    heard(this.state?.clock, this.#someoneGone(), this.#live.refresh);
  }
  #someoneGone(): boolean {
    const gone = (one: Presence["seats"][number]): boolean =>
      one.since !== null && one.came && !this.#arriving.has(one.seat) && !this.mySeats.includes(one.seat);
    return !this.over && this.away.some(gone);
  }
  /** milliseconds since the player left, or null if they are here or it is unknown */
  goneFor(seat: number): number | null {
    const since = this.away.find((one) => one.seat === seat)?.since;
    return since == null ? null : Math.max(0, serverTime() - since);
  }
  /** the absent players for whom the others wait */
  get gone(): Away[] {
    if (this.over || !this.state?.begun || this.adjourned || !this.state.gone) return [];
    const least = this.state.abortable ? ARRIVING : 0;
    return this.away.filter(({ came, seat }) => {
      const another = this.seats[seat]?.kind === "person" && !this.mySeats.includes(seat) && !this.out.includes(seat);
      return came && another && (this.goneFor(seat) ?? -1) >= least;
    });
  }
  /** milliseconds until a claim against an absent player may be made */
  dueIn(seat: number): number {
    return 1000 * (this.state?.gone?.after ?? Infinity) - (this.goneFor(seat) ?? 0);
  }
  /** the sentence for a viewer who may make such a claim now; empty for others */
  get claimable(): string {
    const one = this.gone.find(({ seat }) => this.plays && this.claims(seat).length && this.dueIn(seat) <= 0);
    if (!one || !this.data) return "";
    const given = { title: this.data.title, name: this.#name(one.seat) };
    const wins = this.data.players.length === 2 && this.claims(one.seat).includes("win");
    return wins ? t("absence.mayClaim", given) : t("absence.mayGoOn", given);
  }
  readonly plays = $derived.by(() => this.mySeats.some((seat) => !this.out.includes(seat)));
  readonly waiting: readonly number[] = $derived(this.state?.waiting ?? []);
  /** invited players who have not arrived */
  get expected(): number[] {
    if (this.over) return [];
    return this.away.flatMap((one) => (one.came || this.mySeats.includes(one.seat) ? [] : [one.seat]));
  }
  /** seats that no longer play although the game goes on */
  readonly out: readonly number[] = $derived(this.state?.out ?? []);
  /** what the viewer may claim against a player who has been away too long */
  claims(seat: number): readonly string[] {
    return this.state?.claims[seat] ?? [];
  }
  readonly adjourned = $derived(this.state?.adjourned ?? false);
  /** whether another person plays, to make offers to and to chat with */
  readonly company = $derived(this.seats.some((seat, i) => seat.kind !== "engine" && !this.mySeats.includes(i)));

  /** the highest level of the viewer's opponents, where all are engines; 0 otherwise */
  get level(): number {
    const others = this.seats.filter((_, seat) => !this.mySeats.includes(seat));
    return others.every((one) => one.kind === "engine") ? Math.max(0, ...others.map((one) => one.level ?? 0)) : 0;
  }

  /** whether the viewer alone plays, against engines of which one may think on this device */
  get #isAlone(): boolean {
    const may = this.seats.some((seat) => seat.kind === "engine" && (seat.level ?? 0) < SERVER_LEVEL);
    return this.mySeats.length === 1 && !this.company && may;
  }

  readonly mySeats: readonly number[] = $derived(this.state?.yourSeats ?? []);
  /** the sides as the game's texts name them, in the player's skin */
  readonly sides: readonly string[] = $derived(this.data ? tableInSkin(this.data).players : []);
  /** the viewer's seat, if this browser holds just one and others hold the rest */
  readonly own: number | null = $derived.by(() => {
    const [seat = null, ...others] = this.mySeats;
    return others.length || this.sides.length < 2 ? null : seat;
  });
  readonly names: readonly string[] = $derived(namesOf(this.sides, this.seats, this.own));
  /** rewrites the game's texts for the player's skin and notation, with the players' names unless figures have a side */
  readonly tell: Tell = $derived.by(() => {
    const inSkin = tellOf(this.data);
    if (!this.data || hasFigures(this.data.art)) return inSkin;
    const named = tellNames(this.sides, this.names, this.own, ownable(this.data.art));
    return (text) => named(inSkin(text));
  });
  /** the result as a sentence */
  readonly result: string = $derived.by(() => {
    const { resigned = [], result = "", view } = this.state ?? {};
    const [now, ended] = [{ players: this.names, sides: this.sides, mine: this.own }, view?.outcome];
    if (!ended) return this.tell(result);
    const { victory } = view?.scene ?? {};
    if (victory && ended.winners.length === 1 && ended.winners[0] === this.own) return this.tell(victory);
    const gave = givenUpWords(ended.reason, resigned.at(-1) ?? -1, ended.winners, now);
    return gave || namedResult(this.tell(result), now);
  });
  readonly over = $derived(this.state?.over ?? false);
  readonly ply = $derived(this.moves.length);
  readonly mover: number | null = $derived(this.state?.mover ?? null);
  /** whether it is this browser's turn */
  readonly mine = $derived(!this.over && this.mover !== null && this.mySeats.includes(this.mover));
  /** the number of turns begun */
  readonly turns = $derived(this.moves.filter((move) => move.begins).length);
  readonly shownPly = $derived(this.back ?? this.ply);
  readonly offers: readonly Offer[] = $derived(this.state?.offers ?? []);
  /** the offers that this browser must answer */
  readonly asked: readonly Offer[] = $derived(
    this.offers.filter((offer) => offer.awaited.some((seat) => this.mySeats.includes(seat))),
  );
  /** the cells of the last move; for a player with one seat, of all moves since their own */
  get shownLast(): string[] {
    const move = this.moves[this.shownPly - 1];
    if (!move || !this.data) return [];
    const last = this.back === null && this.lastCells.length ? this.lastCells : move.cells;
    const [own, ...others] = this.mySeats;
    if (own === undefined || others.length) return last;
    const since = sinceOwn(this.moves.slice(0, this.shownPly), own);
    // a player who is out has long stopped moving
    if (since.filter((one) => one.begins).length >= this.data.players.length) return last;
    const before = since.slice(0, -1);
    return [...new Set([...before.flatMap((one) => one.cells), ...last])];
  }

  #connection(is: boolean): void {
    clearTimeout(this.#offline);
    if (is) {
      this.#thinker.connected();
      if (!this.online) announce(t("table.again"));
      this.online = true;
    } else {
      this.#offline = setTimeout(() => {
        this.online = false;
        announce(t("table.lost"));
        if (!this.#known) void this.#probe();
      }, 700);
    }
  }

  /** The socket has never opened: ask whether the server is away or the table does not exist. */
  async #probe(): Promise<void> {
    try {
      await api.tableRecord(this.id);
    } catch (error) {
      if (error instanceof Error && (error as { code?: string }).code === "unknown-table") {
        this.missing = error.message;
        this.#live.close();
      }
    }
  }

  /** Opponents' moves appear one after another, so that the player can follow them. */
  #arrived(message: TableEvent): void {
    const own = "seat" in message && typeof message.seat === "number" && this.mySeats.includes(message.seat);
    this.playback.add(message, own ? "own" : message.kind === "action" ? "move" : "news");
  }

  #snapshot(message: Snapshot): void {
    this.playback.clear();
    const first = !this.#known;
    this.#known = true;
    this.data = message.table;
    const before = this.moves;
    this.moves = message.state.moves;
    this.#views.clear();
    this.tallies = message.tallies ?? [];
    this.#adopt(message.state);
    this.lastCells = [];
    this.#keepBack(before);
    this.#remember(message.state);
    if (this.#isAlone && !this.over) this.#thinker.begin();
    if (!first) return;
    const next = message.state.over ? this.result : this.#asked(message.state);
    announce(t("common.sentences", { first: message.table.title, next }));
  }

  /** Keep the place in the past that is shown, if the game still leads through it as it did by the moves `before`. */
  #keepBack(before: readonly Move[]): void {
    const [back, now] = [this.back ?? 0, this.moves];
    if (back >= now.length || before.slice(0, back).some((move, i) => move.text !== now[i]?.text)) this.back = null;
  }

  #remember(state: State): Ended | null {
    const { yourSeats: seats, over } = state;
    const ended = endOf(seats, this.names, state);
    remember({ id: this.id, title: this.data?.title ?? "", seats, over, ended });
    return ended;
  }

  #adopt(state: State): void {
    const was = this.state;
    this.state = state;
    this.away = state.away;
    this.#heard();
    const mine = state.mover !== null && state.yourSeats.includes(state.mover);
    if (mine && was && was.mover !== state.mover && this.company)
      nudge(t("mine.turn", { title: this.data?.title ?? "Tercet" }), this.id);
    if (state.rematch) this.#rematched(state.rematch);
    if (state.view.standing) {
      const before = this.moves.map((_, ply) => this.tallies[ply]);
      this.tallies = [...before, state.view.standing];
    }
    this.seats = state.seats;
    this.#views.set(this.moves.length, state.view);
    if (this.thinking && state.mover !== this.thinking.seat) this.thinking = null;
  }

  #event(message: TableEvent): void {
    const was = this.over;
    const { state } = message;
    if (message.kind === "action") this.#played(message);
    else if (message.kind === "takeback") {
      this.moves = this.moves.slice(0, message.ply);
      for (const ply of this.#views.keys()) if (ply > this.moves.length) this.#views.delete(ply);
      this.lastCells = [];
      this.#adopt(state);
      if (this.mySeats.includes(message.seat)) this.back = null;
      else this.#keepBack(this.moves);
      announce(t("table.takenBack", { number: turnAt(this.moves, this.ply), asked: state.view.scene.prompt }));
    } else {
      this.#adopt(state);
      this.#tell(message);
    }
    if (!state.over || was) return;
    if (this.#remember(state)?.how === "won" && this.data && this.level)
      keepBeaten(this.data.game, this.level, SERVER_LEVEL);
    if (message.kind !== "action") announce(this.result);
    playNotice();
  }

  #played({ state, events, says, seat }: ActionEvent): void {
    const before = this.#views.get(state.move.ply);
    this.moves = [...this.moves.slice(0, state.move.ply), state.move];
    this.#adopt(state);
    const turned = before ? turnedCells(before.scene.pieces, state.view.scene.pieces) : [];
    this.lastCells = [...new Set([...state.move.cells, ...turned])];
    const sounds = this.data?.art.sounds ?? {};
    const step = Math.min(pace(), score(events, sounds, pace()).gap);
    if (this.back === null) this.transition = { serial: ++this.#serial, events, pace: step };
    playEvents(events, sounds, step);
    moveTransfers(events);
    const paid = this.paid.slice(0, state.move.ply);
    paid[state.move.ply] = levied(events, seat);
    this.paid = paid;
    const mine = this.mySeats.includes(seat) && this.mySeats.length === 1;
    const done = state.over ? withoutResult(says, state.result) : says;
    const what = this.tell(done.join(" "));
    const said = [this.sides, this.names].some((all) => what.startsWith(all[seat] ?? " "));
    const who = mine || said ? "" : `${this.#name(seat)}: `;
    announce(`${who}${what} ${state.over ? this.result : this.#call(state)}`);
  }

  #name(seat: number): string {
    return this.names[seat] ?? t("news.player");
  }

  #rematched(id: string): void {
    if (this.next === id) return;
    carryTokens(this.id, id);
    this.next = id;
  }

  /** The prompt, which first says whose turn it is. */
  #asked({ mover, view }: State): string {
    const own = mover !== null && this.mySeats.length === 1 && this.mySeats.includes(mover);
    const asked = this.tell(view.scene.prompt);
    return own ? t("standing.turn", { asked }) : asked;
  }
  #call(state: State): string {
    if (state.mover === null) return "";
    const name = this.#name(state.mover);
    return this.mySeats.length === 1 && this.mySeats.includes(state.mover)
      ? ended(upper(t("common.yourTurn")))
      : t("table.toMove", { name });
  }

  #tell(message: TableEvent): void {
    const mine = (seat: number): boolean => this.mySeats.includes(seat);
    const side = (seat: number): string => this.sides[seat] ?? "";
    const news = newsOf(message, (seat) => this.#name(seat), side, mine);
    if (!news) return;
    if (news.chime) playNotice();
    if (message.kind === "sit" && this.away.some((one) => one.seat === message.seat && one.since !== null))
      this.#arriving.add(message.seat);
    if (message.kind === "sit" && !message.state.waiting.length)
      nudge(t("table.canBegin", { title: this.data?.title ?? "Tercet" }), this.id);
    // the player's own actions are only read aloud
    if ("seat" in message && typeof message.seat === "number" && mine(message.seat)) announce(news.notice);
    else notice(news.notice);
  }

  #refused(fault: Fault, what?: string): void {
    if (what === undefined || what === "act") this.refusals++; // undo what was shown as sent
    if (fault.code === "unknown-table") {
      this.missing = fault.why;
      this.#live.close();
      return;
    }
    notice(refusalWords(fault.code, fault.why), true);
  }

  #send(type: string, body: Record<string, unknown>): void {
    this.#waiting.add(this.#live.send(type, body));
    this.busy = this.#waiting.size;
  }

  play = (actions: readonly string[]): void =>
    this.#send("act", actions.length === 1 ? { ply: this.ply, action: actions[0] } : { ply: this.ply, actions });
  takeback = (): void => this.#send("takeback", { at: this.ply });
  /** Resign or offer a draw: for the player to move, or else for the viewer's first seat. */
  speak(what: "resign" | "draw"): void {
    const seat = this.mover !== null && this.mySeats.includes(this.mover) ? this.mover : this.mySeats[0];
    if (seat !== undefined) this.#send(what, { seat });
  }
  answer = (what: string, yes: boolean): void => this.#send("answer", { what, yes });
  /** Offer the others to adjourn, continue or play a rematch. */
  propose(what: "adjourn" | "continue" | "rematch"): void {
    const seat = this.mySeats[0];
    if (seat !== undefined) this.#send(what, { seat });
  }
  abort = (): void => this.#send("abort", {});
  claim = (seat: number, what: string): void => this.#send("claim", { seat, what });
  say = (room: "players" | "watchers", text: string): void => this.#send("say", { room, text });

  /** Take an open seat. */
  async sit(seat: number): Promise<void> {
    const made = await api.sit(this.id, seat);
    if (made.token) keepTokens(this.id, [made.token]);
    this.again();
  }
  /** Reconnect with the current account, its name and its seats. */
  again = (): void => this.#live.again(seatTokens(this.id));
  async stand(seat: number): Promise<void> {
    const at = { table_id: this.id, seat };
    await ask("DELETE /api/tables/{table_id}/seats/{seat}", at, { seats: this.id });
    this.again();
  }

  /** Show the position after `ply` moves; the last ply shows the current position. */
  async showPly(ply: number): Promise<void> {
    const to = Math.max(0, Math.min(ply, this.ply));
    this.transition = null;
    if (to === this.ply) {
      this.back = null;
      this.backView = null;
      announce(t("table.present", { asked: this.state?.view.scene.prompt ?? "" }));
      return;
    }
    this.back = to;
    const move = this.moves[to - 1];
    const known = this.#views.get(to);
    if (known) this.backView = known;
    else {
      try {
        const { view } = await api.at(this.id, to);
        if (this.moves[to - 1] === move) this.#views.set(to, view);
        if (this.back === to) this.backView = view;
      } catch (error) {
        notice(wordsOf(error), true);
        return;
      }
    }
    const number = turnAt(this.moves, to);
    announce(move ? t("table.move", { number, says: move.says || move.text }) : ended(t("editor.start")));
  }

  close(): void {
    clearTimeout(this.#offline);
    this.playback.clear();
    heard(null);
    this.#thinker.close();
    this.#live.close();
  }
}

export type Speed = "usual" | "fast" | "end";
/** milliseconds between two turns, in units of the animation speed: slow enough to follow each */
const TURN = 6;
const FAST = 2;
const LEAST = 25;
/** without animations, turns still follow one another */
const STILL = 130;

/** Shows opponents' moves one after another, at a speed the player sets; pauses while the player studies the board. */
export class Playback<T> {
  /** while paused, nothing is shown unless the player asks for the next move */
  paused = $state(false);
  speed: Speed = $state("usual");
  /** the number of items not shown yet */
  waiting = $state(0);
  #queue: T[] = [];
  #next: ReturnType<typeof setTimeout> | undefined;

  /** `show` shows an item; `begins` returns whether an item begins a turn. */
  constructor(
    private readonly show: (item: T) => void,
    private readonly begins: (item: T) => boolean,
  ) {}

  /** Queue `item`. The player's `own` moves are shown at once, with all that waits. So are `news`, which are not
   * moves, unless playback is paused. */
  add(item: T, what: "own" | "news" | "move"): void {
    this.#queue.push(item);
    this.waiting = this.#queue.length;
    if (what === "own") this.flush();
    else if (this.paused) return;
    else if (what === "news" || this.speed === "end" || document.hidden) this.flush();
    else if (this.#next === undefined) this.#advance();
  }
  pause(): void {
    clearTimeout(this.#next);
    this.#next = undefined;
    this.paused = true;
  }
  go(): void {
    this.paused = false;
    if (this.speed === "end") this.flush();
    else if (this.#next === undefined) this.#advance();
  }
  /** Show the next item. */
  step(): void {
    this.#take();
  }
  /** Drop all items. */
  clear(): void {
    clearTimeout(this.#next);
    this.#next = undefined;
    this.#queue = [];
    this.waiting = 0;
  }
  flush(): void {
    clearTimeout(this.#next);
    this.#next = undefined;
    while (this.#take());
  }

  #take(): boolean {
    const item = this.#queue.shift();
    this.waiting = this.#queue.length;
    if (item === undefined) return false;
    this.show(item);
    return true;
  }
  #advance = (): void => {
    this.#next = undefined;
    if (!this.#take()) return;
    const after = this.#queue[0];
    this.#next = setTimeout(this.#advance, this.#pause(after === undefined || this.begins(after)));
  };
  #pause(turn: boolean): number {
    const unit = pace() || (turn ? STILL : 0);
    if (turn) return Math.max(LEAST, unit * (this.speed === "fast" ? FAST : TURN));
    return Math.max(LEAST, Math.min(3 * unit, (14 * unit) / (this.#queue.length + 1)));
  }
}
