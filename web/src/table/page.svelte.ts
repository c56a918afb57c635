/** The model of a table's page: what it shows, to whom, and what its buttons do. `Table.svelte` is the view. */
import { Doing } from "../lib/doing.svelte";
import { untrack } from "svelte";
import { turnAt } from "../analysis/numbering";
import type { KeyMoment } from "../analysis/keyMoments.svelte";
import { Exploring } from "../analysis/exploring.svelte";
import type { Playing } from "../board/playing";
import { notationOf, tableInSkin, tellNames, viewInSkin } from "../board/skin";
import { afterThreat, closedWords, endingWords, promptWords, verdictWords, type Standing } from "../board/tableWords";
import { endFirstGame, guideAgain, isGuided, isOnwards } from "../lessons/firstGame";
import { alarm } from "../lib/announce.svelte";
import { api, ask, whenAnswered, type SeatWish, type TableWish } from "../lib/api";
import { isOnDevice } from "../lib/device";
import { isOn, ladderOf } from "../lib/ladder";
import { inWords, sinceOwn } from "../lib/moves";
import { myGames } from "../lib/myGames.svelte";
import { invitations, invite, inviting, openedFrom, openTable, type Invitation } from "../lib/openTable";
import { nudge } from "../lib/notify.svelte";
import { go } from "../lib/router.svelte";
import { settings, still } from "../lib/settings.svelte";
import type { Sitting } from "../lib/seatWords";
import type { ExampleData, Mark, View } from "../lib/types";
import { playRung } from "../lobby/playRung";
import { enumerated, listed, t } from "../words/words";
import { OwnBest } from "./ownBest.svelte";
import type { Table } from "./table.svelte";

/** milliseconds in which a move comes to rest */
const SETTLES = 600;

export class TablePage implements Playing {
  readonly exploring = new Exploring();
  readonly own = new OwnBest();
  examples: ExampleData[] = $state.raw([]);
  links: Invitation[] = $state.raw([]);

  /** the sheets and panels that are open: the menu, resigning, continuing elsewhere, the end for a player, the rules */
  menu = $state(false);
  resigning = $state(false);
  leaving = $state(false);
  out = $state(false);
  /** what put the player out of a game that goes on, as a sentence */
  howOut = $state("");
  rules = $state(false);
  talking = $state(false);
  inviting = $state(false);
  hinting = $state(false);
  planning = $state(false);
  /** the lines of the player's conditional moves */
  planned: readonly string[][] = $state.raw([]);
  /** the turn that lost the game, once an engine has found it */
  lostTurn: KeyMoment | null = $state.raw(null);
  /** a new table is being opened */
  readonly opening = new Doing(true);

  /** the marks of a hint, of the guide where there is no hint, and of an exploration, which are shown too */
  hinted: readonly Mark[] | null = $state.raw(null);
  taught: readonly Mark[] | null = $state.raw(null);
  hint = $state("");
  /** whether the tips beside the first games are known, or that there are none */
  advised = $state(false);
  /** the position in the middle of the player's turn, after the part that is chosen and not sent */
  midTurn: View | null = $state.raw(null);
  midMoves: readonly string[] = $state.raw([]);
  /** in games with tips: moves that a newcomer would regret */
  regretted: Readonly<Record<string, string>> = $state.raw({});

  #playedOn = $state(false);
  #wantsNext = $state(false);
  /** the player of this screen who is to move, or moved last */
  #looker = $state(-1);

  constructor(readonly table: Table) {
    this.links = invitations(table.id);
    this.inviting = inviting.table === table.id && this.links.length > 0;
    inviting.table = "";
    this.#follow();
  }

  // The position shown, in the game's words for this player.
  readonly tell = $derived.by(() => this.table.tell);
  readonly data = $derived.by(() => this.table.data && tableInSkin(this.table.data));
  readonly notation = $derived.by(() => notationOf(this.table.data));
  readonly present = $derived.by(() => this.table.back === null);
  readonly rawView = $derived.by(() => {
    const now = this.table.state?.view ?? null;
    return this.present ? now : (this.table.backView ?? now);
  });
  readonly view = $derived.by(() => {
    const { rawView: raw, regretted } = this;
    const scene = raw && { ...raw.scene, grave: { ...raw.scene.grave, ...regretted } };
    return scene && viewInSkin({ ...raw, scene }, this.tell);
  });
  readonly moves = $derived.by(() => this.table.moves.map((move) => ({ ...move, says: this.tell(move.says) })));
  /** the other players' moves since the player's last one, in words */
  readonly lastTurns = $derived.by(() =>
    this.mine === null ? "" : this.tell(inWords(sinceOwn(this.table.moves, this.mine))),
  );
  readonly help = $derived.by(() => this.hinted ?? this.taught);
  readonly marks = $derived.by((): Mark[] | undefined => {
    const explored = this.exploring.marks;
    if (!this.view || !(this.help ?? explored)) return undefined;
    const own = this.view.scene.marks.filter((mark) => mark.kind !== "danger" && mark.kind !== "hint");
    const hints = this.help?.map((mark) => (explored && mark.kind === "hint" ? { ...mark, kind: "source" } : mark));
    return [...own, ...(explored ?? []), ...(hints ?? [])];
  });
  readonly midMarks = $derived((this.midTurn && this.help) ?? []);
  /** the position in which the player chooses */
  readonly position = $derived.by(() => (this.midTurn ?? this.rawView)?.position ?? "");
  // The board.
  readonly line = $derived.by(() => this.exploring.line);
  readonly onask = $derived.by(() => this.exploring.onask);
  readonly last = $derived.by(() => this.table.shownLast);
  readonly transition = $derived.by(() => (this.present ? this.table.transition : null));
  readonly refusals = $derived.by(() => this.table.refusals);
  readonly careful = $derived.by(() => this.table.state?.confirm ?? false);
  readonly spots = $derived.by(() => !this.guided);
  readonly asked = $derived.by(() => this.table.asked.length > 0);
  play(actions: readonly string[]): void {
    this.table.play(actions);
  }
  leave(): void {
    this.exploring.leave();
  }
  staged(view: View | null, actions: readonly string[]): void {
    [this.midTurn, this.midMoves] = [view, actions];
  }

  /** whether several players look at this screen from different sides of the board */
  readonly shared = $derived.by(() => {
    const { data, mySeats } = this.table;
    return new Set(mySeats.map((seat) => data?.facing[seat] ?? 0)).size > 1;
  });
  /** the side at the bottom of the board: on a shared screen, that of the player to move */
  readonly facing = $derived.by(() => {
    const { data, mySeats, mover } = this.table;
    if (settings.facing === "fixed") return 0;
    const seat = [this.#looker, mover ?? -1].find((one) => mySeats.includes(one)) ?? mySeats[0] ?? 0;
    return data?.facing[seat] ?? 0;
  });

  // The viewer and the players.
  readonly watching = $derived.by(() => this.table.state !== null && this.table.mySeats.length === 0);
  readonly mine = $derived.by(() => this.table.own);
  /** whether the player may plan conditional moves: an opponent is to move */
  readonly mayPlan = $derived.by(() => this.#plans && !this.table.mine && this.table.mover !== null);
  readonly #plans = $derived.by(() => this.playing && this.table.company && !isOnDevice(this.table.id));
  readonly alone = $derived.by(() => this.table.data?.players.length === 1);
  readonly playing = $derived.by(() => this.mine !== null && !this.table.over && !this.table.out.includes(this.mine));
  /** whether an invited player with a clock has not arrived: the game begins with their first visit */
  readonly early = $derived.by(() => {
    const clock = this.table.state?.clock;
    return clock != null && clock.kind !== "correspondence" && this.table.expected.length > 0;
  });
  readonly active = $derived.by(
    () => this.present && this.table.mine && !this.early && !!this.table.state?.view.paths.length,
  );
  /** the engine to move in the position shown; it may already think while earlier moves are still being shown */
  readonly thinking = $derived.by(() => {
    const { mover, thinking, seats } = this.table;
    return mover !== null && (thinking?.seat === mover || seats[mover]?.kind === "engine") ? mover : null;
  });
  /** whether several engines move one after another without the player */
  readonly followed = $derived.by(() => {
    const { over, state, seats, out } = this.table;
    return !over && !state?.clock && seats.filter((one, i) => one.kind === "engine" && !out.includes(i)).length > 1;
  });
  /** who sits where, for the panels of the players */
  readonly sitting: Sitting = $derived.by(() => {
    const { state, over, seats, mySeats, away, thinking } = this.table;
    return {
      seats,
      names: this.table.names,
      mine: mySeats,
      thinking: this.thinking,
      preparing: thinking?.preparing ?? null,
      clock: state?.clock ?? null,
      retractions: over ? null : (state?.retractions ?? null),
      resigned: state?.resigned ?? [],
      away: over ? [] : away,
      replaced: state?.replaced ?? [],
      oninvite: this.invitationOf,
    };
  });
  readonly looksOn = $derived.by(() => this.watching || (this.mine !== null && this.table.out.includes(this.mine)));

  // Help: hints are allowed in unrated games against engines only; a first game has a guide.
  readonly helped = $derived.by(() => {
    const { state, seats } = this.table;
    return this.mine !== null && !state?.rated && seats.every((seat, i) => seat.kind === "engine" || i === this.mine);
  });
  readonly #led = $derived.by(
    () =>
      !this.table.state?.rated && this.mine === 0 && !!this.data?.firstGame && isGuided(this.data.game, this.table.id),
  );
  /** whether the guide goes on with what is new, beside the tips */
  readonly onwards = $derived(this.#led && isOnwards(this.data?.game ?? ""));
  readonly #firstGame = $derived(this.#led && !this.onwards);
  /** whether the guide of a first game is shown */
  readonly guided = $derived(this.#firstGame && this.playing);
  readonly accompanied = $derived(settings.companion && this.helped && !this.#firstGame && this.data?.advice === true);

  /** the exploration that tells where a piece can go, in games with help */
  readonly peek = $derived.by(() => {
    const open = this.helped && this.table.state?.explore !== false;
    return open ? this.data?.explorations?.find((one) => one.needs === "cell")?.id : undefined;
  });

  // What is said.
  readonly alert = $derived.by(() => this.#alertOf(this.table.mover));
  readonly warned = $derived.by(() => this.alert !== "" && this.table.mine);
  readonly standing: Standing = $derived.by(() => {
    const { table, view } = this;
    return {
      players: table.names,
      sides: table.sides,
      seats: table.seats,
      mine: this.mine,
      watching: this.watching,
      over: table.over,
      aborted: table.state?.aborted ?? false,
      adjourned: table.adjourned,
      winners: table.state?.view.outcome?.winners ?? [],
      ending: table.state?.result ? table.result : (view?.scene.result ?? ""),
      victory: this.tell(table.state?.view.scene.victory ?? ""),
      back: table.back === null ? null : turnAt(table.moves, table.back),
      turn: turnAt(table.moves, table.ply),
      mover: table.mover,
      deciding: table.mine,
      asked: view?.scene.prompt ?? "",
      alert: this.alert,
      waiting: table.waiting,
      expected: this.early ? table.expected : [],
      preparing: table.thinking?.preparing ?? null,
      out: table.out,
      resigned: table.state?.resigned ?? [],
    };
  });
  readonly #known = $derived(this.data !== null && this.view !== null);
  /** what the latest move made players pay, or else what the viewer paid or got since their last move */
  readonly #paid = $derived.by(() => {
    const { moves, paid, over, sides, names } = this.table;
    if (!this.present || over || this.alert) return "";
    const own = this.playing ? moves.findLastIndex((move) => move.seat === this.mine) : moves.length;
    const mine = paid.slice(own + Number(this.table.mine), moves.length).flat();
    const touched = mine.filter(({ data }) => [data.from, data.to].includes(this.mine));
    const shown = touched.length ? touched : (paid[moves.length - 1] ?? []);
    return shown.map(({ says }) => tellNames(sides, names, this.mine)(says)).join(" ");
  });
  readonly prompt = $derived.by(() => {
    if (!this.#known) return "";
    if (this.hint) return afterThreat(this.alert, this.hint);
    return [this.#paid, promptWords(this.standing)].filter(Boolean).join(" ");
  });
  /** the prompt in the middle of the player's turn */
  readonly midPrompt = $derived.by(() => {
    const scene = this.midTurn?.scene;
    if (!scene || scene.mover === null) return "";
    if (this.hint) return this.hint;
    return promptWords({ ...this.standing, asked: scene.prompt, alert: scene.alerts[scene.mover] ?? "" });
  });
  readonly closed = $derived(this.#known ? closedWords(this.standing) : "");
  readonly verdict = $derived(verdictWords(this.standing));
  readonly ending = $derived(endingWords(this.standing));
  readonly won = $derived.by(() => {
    const { winners } = this.standing;
    return this.table.over && this.mine !== null && winners.length === 1 && winners[0] === this.mine;
  });
  /** whether an engine looks for the turn that lost the game: it was unrated and against engines */
  readonly blamed = $derived.by(() => {
    const lost = this.table.over && !this.won && this.standing.winners.length === 1;
    return lost && this.helped && this.moves.some((move) => move.seat === this.mine);
  });
  /** whether to celebrate a win that the player saw happen */
  readonly celebrated = $derived(this.won && this.#playedOn && this.present && !still());
  readonly #panels = $derived(
    this.view?.scene.panels.filter((one) => this.mine !== null && one.player === this.mine) ?? [],
  );
  /** what the player must make to win, if the game says so for their side */
  readonly aims = $derived.by(() =>
    this.#panels
      .filter((one) => !one.counters.length)
      .flatMap((one) => one.lines.map((line) => line.replace(/\.$/, ""))),
  );
  readonly afterOut = $derived(this.#panels.find((one) => one.lines.length)?.lines[0] ?? "");
  /** whether a player who is out may try their last turn again in another game */
  readonly mayTryAgain = $derived.by(
    () => this.helped && this.mine !== null && !this.standing.resigned.includes(this.mine),
  );
  readonly stillPlaying = $derived(
    listed(this.standing.players.filter((_, seat) => !this.standing.out.includes(seat))),
  );

  /** Return what put the player out: the last move; empty if it was not seen, or if they resigned, which is said below the
   * board. */
  #howOut(): string {
    if (!this.#playedOn || this.mine === null || this.standing.resigned.includes(this.mine)) return "";
    const { says, brief } = this.table.moves.at(-1) ?? { says: "", brief: null };
    return this.tell(brief ?? says);
  }

  #alertOf(seat: number | null): string {
    return this.table.over || seat === null ? "" : (this.view?.scene.alerts[seat] ?? "");
  }

  /** What happens on the page when something happens at the table. */
  #follow(): void {
    const { table } = this;
    $effect(() => {
      const game = table.data?.game;
      if (game) whenAnswered(api.rules(game), (found) => (this.examples = found.examples));
    });
    /** The header counts the games in which it is the player's turn. */
    $effect(() => {
      void [table.mover, table.over, table.waiting.length];
      const soon = setTimeout(() => void myGames.refresh(), 700);
      return () => clearTimeout(soon);
    });
    $effect(() => this.own.follow(table));
    /** The server plays conditional moves, and drops them when the game leaves them. */
    let asked = false;
    $effect(() => {
      const [seat, ply] = [this.mine, table.ply];
      if (seat === null || !this.#plans) this.planned = [];
      else if (!asked || untrack(() => this.planned.length)) {
        asked = ply >= 0;
        const from = { table_id: table.id, seat };
        const found = ask("GET /api/tables/{table_id}/seats/{seat}/conditional", from, {
          seats: table.id,
          quiet: true,
        });
        whenAnswered(found, ({ branches }) => (this.planned = branches));
      }
    });
    /** The last move settles before the board turns to the next player. */
    $effect(() => {
      const { mover } = table;
      if (mover === null || !table.mySeats.includes(mover)) return;
      if (still() || untrack(() => this.#looker) < 0) {
        this.#looker = mover;
        return;
      }
      const soon = setTimeout(() => (this.#looker = mover), SETTLES);
      return () => clearTimeout(soon);
    });
    $effect(() => {
      if (this.#led && table.over && this.data) endFirstGame(this.data.game);
    });
    $effect(() => {
      if (this.playing && this.data) this.#playedOn = true;
    });
    /** The viewer is out of a game that goes on: say so once. */
    let wasOut = false;
    $effect(() => {
      const gone = this.mine !== null && !table.over && table.out.includes(this.mine);
      if (gone && !wasOut) [this.out, this.howOut] = [true, untrack(() => this.#howOut())];
      wasOut = gone;
      if (table.over) this.out = false;
    });
    $effect(() => {
      if (!this.followed && table.playback.paused) table.playback.go();
    });
    /** Announce a threat to the viewer, once. */
    let warned = "";
    $effect(() => {
      const words = this.#alertOf(this.mine);
      if (words && words !== warned && this.present) alarm(words);
      warned = words;
    });
    $effect(() => {
      if (table.claimable) nudge(table.claimable, table.id);
    });
    /** Take the players to the rematch. */
    $effect(() => {
      if (table.next && this.#wantsNext && table.mySeats.length) go(`/t/${table.next}`, false, true);
    });
    $effect(() => {
      if (table.over && table.offers.some((offer) => offer.what === "rematch")) this.#wantsNext = true;
    });
    $effect(() => {
      if (table.missing) alarm(table.missing);
    });
    $effect(() => {
      this.onward = null;
      const { data, level } = table;
      const { won } = this;
      if (!(won || this.blamed) || !this.helped || !data || !level) return;
      whenAnswered(api.games(), (all) => {
        const game = all.find((one) => one.name === data.game);
        const rungs = game ? ladderOf(game).rungs : [];
        const [now, next] = [rungs[level - 1], rungs[won ? level : level - 2]];
        if (!game || !now || !next) return;
        const onward = isOn(now.board, data.options) ? next.board : { title: "", options: data.options, help: "" };
        const board = onward.title === now.board.title ? "" : onward.title;
        const says = enumerated([t(won ? "result.next" : "result.easier", { name: next.name }), board]);
        this.onward = { level: next.level, says, play: () => void playRung(game, { ...next, board: onward }) };
      });
    });
  }

  /** Return a function that shares the link to a player's open seat. */
  invitationOf = (player: number): (() => void) | undefined => {
    const { table, data } = this;
    if (!data || this.watching || table.over) return undefined;
    const title = t("invite.game", { game: data.title });
    const own = table.expected.includes(player) ? this.links.find((one) => one.seat === player)?.link : undefined;
    const link = own ?? (table.seats[player]?.kind === "open" ? `/t/${table.id}` : undefined);
    return link === undefined ? undefined : () => void invite(link, title);
  };
  /** Open a table for the same game with the same seats. */
  again = async (): Promise<void> => {
    const wish = sameAgain(this.table);
    if (wish) await this.open(wish);
  };
  /** the opponent that is offered, with the board where it is another: after a win the next one, after a loss an easier
   * one; and what opens a game */
  onward: { level: number; says: string; play: () => void } | null = $state.raw(null);
  /** Play on from the turn that lost the game, or else from the player's last one, against the same engines. */
  tryTurnAgain = async (): Promise<void> => {
    const last = this.table.moves.findLastIndex((move) => move.seat === this.mine && move.begins);
    await this.opening.run(async () => {
      const from = this.lostTurn?.position ?? (await api.at(this.table.id, Math.max(0, last))).view.position;
      const wish = sameAgain(this.table, from);
      if (wish) await this.#open(wish, from, true);
    });
  };
  async open(wish: TableWish, from = wish.position): Promise<void> {
    await this.opening.run(() => this.#open(wish, from));
  }
  async #open(wish: TableWish, from: string | null | undefined, tried = false): Promise<void> {
    const made = await openTable(wish, from);
    if (tried && this.data) guideAgain(this.data.game, this.table.id, made);
    this.menu = this.leaving = false;
    go(`/t/${made}`);
  }
  rematch = (): void => {
    this.#wantsNext = true;
    this.table.propose("rematch");
  };
  analyse = (): void => go(`/analysis?table=${this.table.id}&ply=${this.table.shownPly}`);
  showPly = (ply: number): void => void this.table.showPly(ply);
  endGuide = (): void => {
    if (this.data) endFirstGame(this.data.game, true);
  };
}

/** Return the request for a new table with the same seats, or null while it is not known. It starts from the position
 * `from`, if there is one. */
function sameAgain(table: Table, from = openedFrom(table.id)): TableWish | null {
  const { data, state } = table;
  if (!data || !state) return null;
  let mine = false;
  const seats = table.seats.map((seat, i): SeatWish => {
    if (seat.kind === "engine") return { kind: "engine", level: seat.level ?? 3 };
    if (seat.kind === "open") return { kind: "open" };
    if (!table.mySeats.includes(i)) return { kind: "friend" };
    if (mine) return { kind: "here" };
    mine = true;
    return { kind: "me" };
  });
  const clock = state.clock?.control;
  return {
    ...(from ? { position: from } : { game: data.game, options: data.options }),
    seats,
    takebacks: state.takebackRule ?? true,
    confirm: state.confirm ?? false,
    chat: state.chat ?? false,
    explore: state.explore ?? true,
    ...(clock ? { clock } : {}),
  };
}
