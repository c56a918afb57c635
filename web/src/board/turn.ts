/**
 * The choices of one turn, from the first cell to the action that is sent. The server lists each legal action with the
 * steps that lead to it; here steps are only matched: cells in their order, picks before or after a cell.
 *
 * A turn knows neither the screen nor the server: it reaches both through its host, which also keeps the state
 * (replaced, never changed in place).
 */
import type { Gesture, Path, Pick, TableData, View } from "../lib/types";
import { ended, enumerated, t, upper } from "../words/words";

export const isPick = (step: string): boolean => step.startsWith("#");
export const pickId = (step: string): string => step.slice(1);

export interface Chosen {
  cells: readonly string[];
  picks: readonly string[];
}
export const NOTHING: Chosen = { cells: [], picks: [] };

export interface Route {
  path: Path;
  cells: string[];
  picks: string[];
}

/** The legal paths, indexed for matching; built once for each position. */
export function routes(paths: readonly Path[]): Route[] {
  return paths.map((path) => ({
    path,
    cells: path[1].filter((step) => !isPick(step)),
    picks: path[1].filter(isPick).map(pickId),
  }));
}

const fits = (route: Route, chosen: Chosen): boolean =>
  chosen.cells.length <= route.cells.length &&
  chosen.picks.length <= route.picks.length &&
  chosen.cells.every((cell, i) => route.cells[i] === cell) &&
  chosen.picks.every((pick) => route.picks.includes(pick));

const complete = (route: Route, chosen: Chosen): boolean =>
  chosen.cells.length === route.cells.length && chosen.picks.length === route.picks.length;

export interface Choices {
  /** the cells that may be chosen next, with what each choice leads to */
  cells: Map<string, string[]>;
  /** the picks that may be chosen next */
  picks: Set<string>;
  /** the action that the choices make, if any */
  action: Path | null;
  /** whether a longer choice exists besides `action` */
  more: boolean;
  count: number;
}

export function choices(all: readonly Route[], chosen: Chosen): Choices {
  const cells = new Map<string, string[]>();
  const picks = new Set<string>();
  let action: Path | null = null;
  let count = 0;
  let more = false;
  for (const route of all) {
    if (!fits(route, chosen)) continue;
    count++;
    if (complete(route, chosen)) {
      action = route.path;
      continue;
    }
    more = true;
    const next = route.cells[chosen.cells.length];
    if (next !== undefined) {
      const says = cells.get(next);
      if (says) says.push(route.path[2]);
      else cells.set(next, [route.path[2]]);
    }
    for (const pick of route.picks) if (!chosen.picks.includes(pick)) picks.add(pick);
  }
  return { cells, picks, action, more, count };
}

/** Return the cells that only a pick leads to while none is chosen: what would be placed there is not known yet. */
export function unpicked(all: readonly Route[], chosen: Chosen): Set<string> {
  const [led, open] = [new Set<string>(), new Set<string>()];
  if (!chosen.picks.length)
    for (const route of all) {
      const next = route.cells[chosen.cells.length];
      if (next !== undefined && fits(route, chosen)) (isPick(route.path[1][0] ?? "") ? led : open).add(next);
    }
  return new Set([...led].filter((cell) => !open.has(cell)));
}

/** Return `chosen` without picks that no path has any more, such as a type of piece that can be placed nowhere. */
export function usable(all: readonly Route[], chosen: Chosen): Chosen {
  if (choices(all, chosen).count > 0) return chosen;
  const picks = chosen.picks.filter((pick) => choices(all, { cells: [], picks: [pick] }).count > 0);
  return { cells: [], picks: picks.slice(0, 1) };
}

/** Return picks that only end a move over two cells: they are asked for at its end. */
export function closingPicks(paths: readonly Path[]): Set<string> {
  const [last, other] = [new Set<string>(), new Set<string>()];
  for (const [, steps] of paths)
    steps.forEach((step, i) => {
      if (isPick(step)) (i >= 2 && i === steps.length - 1 ? last : other).add(pickId(step));
    });
  return new Set([...last].filter((id) => !other.has(id)));
}

/** Return the picks shown below the board; the others appear in the popup at a cell. */
export function laidOut(
  picks: readonly Pick[],
  paths: readonly Path[],
  all: readonly Route[],
  now: Choices,
): readonly Pick[] {
  const atFirst = choices(all, NOTHING).picks;
  const closing = closingPicks(paths);
  return picks.filter(
    ({ id, sticky }) => sticky || (paths.length > 0 && !closing.has(id) && (atFirst.has(id) || now.picks.has(id))),
  );
}

export type By = "pointer" | "key";

/** Actions that are previewed, staged or played as one, with the steps that chose them. */
export interface Trial {
  actions: readonly string[];
  steps: readonly string[];
  says: string;
}
/** The result of a trial. */
interface Outlook {
  trial: Trial;
  view: View;
  says: string;
}
export interface TurnState {
  /** the cells and picks chosen so far for one action */
  chosen: Chosen;
  /** the pick that stays chosen from action to action */
  held: string | null;
  /** a whole action that waits for confirmation */
  pending: Trial | null;
  /** what was sent and is not answered yet */
  sent: Trial | null;
  /** the turn so far, not sent yet: each part with the position after it */
  staged: readonly Outlook[];
  /** the position after the action that waits for confirmation, or after the pick under the pointer */
  preview: Outlook | null;
  /** why the last choice was refused */
  refusal: string;
  /** the refused cell, with a count so that the same cell can be refused again */
  refused: { cell: string; serial: number } | null;
  /** where the player must choose among picks, and why others of their group are not offered, once that is known */
  chooser: { cell: string; by: By; why?: string } | null;
}
export const NO_TURN: TurnState = {
  chosen: NOTHING,
  held: null,
  pending: null,
  sent: null,
  staged: [],
  preview: null,
  refusal: "",
  refused: null,
  chooser: null,
};

export interface TurnHost {
  state: TurnState;
  /** the position that the server sent */
  readonly view: View;
  readonly table: TableData;
  /** whether a choice made now is an action */
  readonly able: boolean;
  /** why nothing can be chosen now; empty if that is obvious */
  readonly closed: string;
  /** whether whole actions wait for confirmation */
  confirms(): boolean;
  /** Return what actions lead to, or null if that is unknown. */
  lookAhead(position: string, actions: readonly string[]): Promise<{ view: View; says: string } | null>;
  /** Return why an action that these steps enter is illegal, or nothing if that is unknown. */
  explain(position: string, steps: readonly string[]): Promise<string>;
  /** Return what the marks on a cell say, in sentences; empty if it has none. */
  marked(cell: string): string;
  play(actions: readonly string[]): void;
  announce(text: string): void;
  /** The position shown has changed by a choice of these cells. */
  moved(from: View, to: View, cells: readonly string[]): void;
  focus(cell: string): void;
}

const known = new WeakMap<readonly Path[], Route[]>();
const cellsOf = (steps: readonly string[]): string[] => steps.filter((step) => !isPick(step));
export const trialOf = ([action, steps, says]: Path): Trial => ({ actions: [action], steps, says });

/** Return a reason as a sentence about a cell. */
function reason(cell: string, why: string): string {
  const begun = /^[a-zäöü]+ /.test(why) ? upper(why) : why; // not the name of a cell
  return ended(why.includes(cell) ? begun : `${cell}: ${why}`);
}

export class Turn {
  #refusals = 0;

  constructor(private readonly host: TurnHost) {}
  get #state(): TurnState {
    return this.host.state;
  }
  #set(change: Partial<TurnState>): void {
    this.host.state = { ...this.host.state, ...change };
  }

  /** The position in which choices are made: the one after the staged actions. */
  get view(): View {
    return this.#state.staged.at(-1)?.view ?? this.host.view;
  }
  get routes(): readonly Route[] {
    if (!this.host.able) return [];
    const { paths } = this.view;
    const found = known.get(paths) ?? routes(paths);
    known.set(paths, found);
    return found;
  }
  /** Whether the player can choose: it is their turn and nothing is being sent. */
  get open(): boolean {
    return this.host.able && this.#state.sent === null;
  }
  /** What may be chosen next. */
  get choices(): Choices {
    return choices(this.routes, this.#state.chosen);
  }
  get #opening(): Chosen {
    const { held } = this.#state;
    return usable(this.routes, { cells: [], picks: held ? [held] : [] });
  }
  /** The choices that a tap adds to: while an action waits for confirmation, its last cell can be chosen again. */
  get aim(): Chosen {
    const { pending, chooser, chosen, held } = this.#state;
    if (!pending && !chooser) return chosen;
    return usable(this.routes, { cells: chosen.cells.slice(0, -1), picks: held ? [held] : [] });
  }
  /** The cells that may be chosen, with what each choice leads to. */
  get legal(): ReadonlyMap<string, readonly string[]> {
    if (!this.open) return new Map();
    const found = choices(this.routes, this.aim).cells;
    const { pending } = this.#state;
    const waiting = pending && cellsOf(pending.steps).at(-1);
    return waiting ? new Map([...found, [waiting, [pending.says]]]) : found;
  }
  /** Those cells that are unmarked until the player has chosen what to place there. */
  get unmarked(): ReadonlySet<string> {
    return unpicked(this.routes, this.aim);
  }
  /** Whether choices are still made in that position; the server may have sent it again meanwhile. */
  #at(from: View): boolean {
    return this.view.position === from.position;
  }
  label(pick: string): string {
    return this.host.table.picks.find((one) => one.id === pick)?.label ?? pick;
  }

  /** Whether the position is on the way through the parts of the turn that was sent: what they led to stays shown. */
  get passing(): boolean {
    const { sent, staged } = this.#state;
    const parts = sent && sent === staged.at(-1)?.trial ? staged.slice(0, -1) : staged;
    return sent !== null && parts.some((part) => part.view.position === this.host.view.position);
  }
  /** The position has changed, or the action was refused: clear all choices. */
  restart(): void {
    this.#set({ staged: [], sent: null });
    this.reset();
  }
  /** Clear the choices, but keep what is staged. */
  reset(): void {
    this.#set({ pending: null, chooser: null, preview: null, refusal: "", refused: null, chosen: this.#opening });
  }

  chooseCell(cell: string, by: By): void {
    if (!this.open) return this.#refuse(cell, this.#state.sent ? t("turn.sent") : this.host.closed);
    this.#set({ refusal: "", refused: null });
    const { pending, chooser } = this.#state;
    if (pending && cellsOf(pending.steps).at(-1) === cell) return this.send(pending);
    if (pending || chooser) this.#set({ chosen: this.aim, pending: null, preview: null, chooser: null });
    const { chosen, held } = this.#state;
    const opening: Chosen = { cells: [], picks: held ? [held] : [] };
    const tries: Chosen[] = [chosen, { cells: chosen.cells, picks: [] }, opening, NOTHING];
    const base = tries.find((one) => choices(this.routes, one).cells.has(cell));
    if (base) return this.#settle({ cells: [...base.cells, cell], picks: base.picks }, by);
    void this.#explain(cell, chosen); // the choices stay: the player may name another cell for them
  }

  choosePick(pick: Pick, by: By): void {
    if (!this.open) return this.#refuse("", this.#state.sent ? t("turn.sent") : this.host.closed);
    this.#set({ pending: null, preview: null });
    const { chosen, chooser } = this.#state;
    if (chooser === null && chosen.picks.includes(pick.id)) {
      if (pick.sticky) this.#set({ held: null });
      this.#set({ chosen: { cells: chosen.cells, picks: chosen.picks.filter((id) => id !== pick.id) } });
      this.host.announce(t("turn.putDown", { pick: pick.label }));
      return;
    }
    const tries: Chosen[] = [this.with(pick), { cells: [], picks: [pick.id] }];
    const next = tries.find((one) => choices(this.routes, one).count > 0);
    if (pick.sticky && (chooser === null || !next)) this.#set({ held: pick.id });
    if (next) this.#settle(next, by);
    else this.#refuse("", t("turn.notNow", { pick: pick.label }));
  }
  /** Return the choices with this pick in place of others of its group. */
  with(pick: Pick): Chosen {
    const { chosen } = this.#state;
    const group = new Set(this.host.table.picks.filter((one) => one.group === pick.group).map((one) => one.id));
    return { cells: chosen.cells, picks: [...chosen.picks.filter((id) => !group.has(id)), pick.id] };
  }

  /** Return every way to continue from one cell, whatever pick is held. */
  openAt(cell: string, gesture: Gesture | null): void {
    if (!this.open) return;
    if (gesture) return this.perform(gesture);
    this.reset();
    if (choices(this.routes, NOTHING).cells.has(cell)) this.#settle({ cells: [cell], picks: [] }, "pointer");
  }
  /** Whether what stands on a cell can be dragged: its choice leads on to other cells. */
  movable(cell: string): boolean {
    const base = [this.#opening, NOTHING].find((one) => choices(this.routes, one).cells.has(cell));
    return this.open && !!base && choices(this.routes, { cells: [cell], picks: base.picks }).cells.size > 0;
  }
  drag(from: string, to: string): void {
    this.reset(); // else a cell that waits for confirmation would be sent
    this.chooseCell(from, "pointer");
    const { chosen } = this.#state;
    if (chosen.cells.at(-1) !== from) return;
    if (this.choices.cells.has(to)) return this.chooseCell(to, "pointer");
    void this.#explain(to, chosen);
  }
  perform(gesture: Gesture): void {
    if (!this.open) return;
    this.reset();
    const trial = { actions: gesture.actions, steps: gesture.cells, says: `${gesture.title}: ${gesture.says}` };
    if (gesture.trigger === "button" && !this.grave(trial)) this.send(trial);
    else this.finish(trial);
  }

  #settle(next: Chosen, by: By): void {
    this.#set({ chosen: next });
    const { action, more, cells } = this.choices;
    if (action && !more) return this.finish(trialOf(action));
    if (cells.size === 0 || action) return void this.#offer(next.cells, by);
    this.#set({ chooser: null });
    const first = enumerated([...next.picks.map((id) => this.label(id)), ...next.cells]);
    this.host.announce(t("common.sentences", { first, next: t("turn.legal", { n: cells.size }) }));
  }

  /** Let the player choose among picks, and say why others of their group are not offered. */
  async #offer(cells: readonly string[], by: By): Promise<void> {
    const cell = cells.at(-1) ?? "";
    const chooser = { cell, by };
    this.#set({ chooser });
    const [{ picks: all }, { picks }] = [this.host.table, this.choices];
    const groups = new Set(all.flatMap((one) => (picks.has(one.id) ? [one.group] : [])));
    const other = all.find((one) => groups.has(one.group) && !picks.has(one.id));
    const why = other && (await this.host.explain(this.view.position, [`#${other.id}`, ...cells]));
    if (why && this.#state.chooser === chooser) this.#set({ chooser: { ...chooser, why: reason(cell, why) } });
  }

  /** An action is complete: send it, or wait for confirmation. */
  finish(trial: Trial): void {
    const { chooser } = this.#state;
    this.#set({ chooser: null, refusal: "", refused: null });
    if (chooser?.by === "key") this.host.focus(chooser.cell); // the keyboard continues where it was
    const grave = this.grave(trial);
    if (!this.host.confirms() && !grave) return this.send(trial);
    this.#set({ pending: trial });
    const asked = t("turn.confirm", { says: upper(trial.says) });
    this.host.announce(grave ? `${grave} ${asked}` : asked);
    void this.#stage(trial, grave === "");
  }
  /** Return why the chosen action needs confirmation whatever the settings say, or nothing. */
  grave(trial: Trial): string {
    const { grave } = this.view.scene;
    return trial.actions.map((action) => grave[action] ?? "").find(Boolean) ?? "";
  }
  /** Preview the action. If the same player continues, keep the turn here until it is confirmed, where allowed. */
  async #stage(trial: Trial, keeps: boolean): Promise<void> {
    const from = this.view;
    const found = await this.host.lookAhead(from.position, trial.actions);
    if (!found || this.#state.pending !== trial || !this.#at(from)) return;
    if (!keeps || found.view.scene.mover !== from.scene.mover || found.view.outcome)
      return this.#set({ preview: { trial, ...found } });
    this.#set({ staged: [...this.#state.staged, { trial, ...found }] });
    this.host.moved(from, found.view, cellsOf(trial.steps));
    this.reset();
    const next = `${found.says} ${found.view.scene.prompt}`;
    this.host.announce(t("turn.kept", { next }));
  }

  /** Send what is staged, with `trial`. */
  send(trial: Trial | null): void {
    const parts = [...this.#state.staged.map((part) => part.trial), ...(trial ? [trial] : [])];
    const last = parts.at(-1);
    if (!last) return;
    this.#set({ pending: null, preview: null, sent: last });
    this.host.play(parts.flatMap((part) => part.actions));
  }
  /** Undo the action that waits for confirmation, or else the last part of the turn. */
  undo(): void {
    if (this.#state.pending) return this.reset();
    this.#set({ staged: this.#state.staged.slice(0, -1) });
    this.reset();
    this.host.announce(t("turn.takenBackAsk", { asked: this.view.scene.prompt }));
  }
  /** Undo the last choice of any kind, and return whether there was one. */
  cancel(focus: string | null): boolean {
    const { pending, chooser, chosen, staged, sent, held } = this.#state;
    if (pending || chooser || chosen.cells.length) {
      this.reset();
      this.host.announce(t("turn.takenBack"));
      if (focus !== null) this.host.focus(chooser?.cell ?? focus);
      return true;
    }
    if (staged.length && !sent) this.undo();
    else if (held) {
      this.#set({ held: null, chosen: NOTHING });
      this.host.announce(t("turn.handEmpty"));
    } else return false;
    return true;
  }

  /** Show why a choice is refused, and where. */
  #refuse(cell: string, why: string): void {
    if (!why) return;
    this.#set({ refusal: why, refused: cell ? { cell, serial: ++this.#refusals } : null });
    this.host.announce(why);
  }
  async #explain(cell: string, base: Chosen): Promise<void> {
    const marked = base.cells.length || base.picks.length ? "" : this.host.marked(cell);
    if (marked) return this.#refuse(cell, marked);
    const otherwise = t("turn.cannot", { cell, asked: this.view.scene.prompt }).trim();
    this.#refuse(cell, otherwise);
    const [from, refused] = [this.view, this.#state.refused];
    const steps = [...base.picks.map((id) => `#${id}`), ...base.cells, cell];
    const why = await this.host.explain(from.position, steps);
    if (!why || !this.#at(from) || this.#state.refused !== refused) return;
    this.#set({ refusal: reason(cell, why) });
    this.host.announce(this.#state.refusal);
  }

  /** Return what may be chosen, as a sentence. */
  legalWords(): string {
    const { cells, picks } = this.choices;
    const held = enumerated(this.#state.chosen.picks.map((id) => this.label(id)));
    const names = picks.size && !cells.size ? [...picks].map((id) => this.label(id)) : [...cells.keys()];
    return held
      ? t("turn.heldLegal", { held, n: names.length, cells: enumerated(names) })
      : t("turn.allLegal", { n: names.length, cells: enumerated(names) });
  }

  /** Return the choices as drawn on the board: cells, and the symbol on the last of them. */
  get shown(): { cells: string[]; symbol: string | null } {
    const trial = this.#state.pending ?? this.#state.sent;
    if (!trial) return { cells: [...new Set(this.#state.chosen.cells)], symbol: null };
    const { picks } = this.host.table;
    const symbols = trial.steps.filter(isPick).map((step) => picks.find((one) => one.id === pickId(step))?.symbol);
    return { cells: [...new Set(cellsOf(trial.steps))], symbol: symbols.find(Boolean) ?? null };
  }
}
