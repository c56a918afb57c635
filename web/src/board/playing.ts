/** What a page says of the board that is played on: its model implements this, and `PlayArea.svelte` shows it. */
import type { Mark, Pick, PieceSymbol, View } from "../lib/types";
import type { Line } from "./line.svelte";
import { type Arrow, type Transition } from "./state";
import type { Shape } from "./shapes";
import type { By, Trial } from "./turn";

export interface Playing {
  /** whether a choice made here is an action */
  readonly active: boolean;
  /** why nothing can be chosen */
  readonly closed?: string;
  /** shown instead of the position's prompt */
  readonly prompt?: string | undefined;
  /** shown instead of the prompt in the middle of a turn */
  readonly midPrompt?: string;
  /** whether that begins with a warning */
  readonly warned?: boolean;
  readonly last?: readonly string[];
  /** instead of the position's marks */
  readonly marks?: readonly Mark[] | undefined;
  /** besides the marks of a position in the middle of a turn */
  readonly midMarks?: readonly Mark[];
  readonly arrows?: readonly Arrow[];
  readonly transition?: Transition | null;
  /** counts refusals, each of which undoes what was sent */
  readonly refusals?: number;
  readonly confirmable?: boolean;
  /** whether the table wants whole turns confirmed */
  readonly careful?: boolean;
  /** degrees by which the board is turned besides the player's own choice */
  readonly facing?: number;
  /** a line of play to show instead of the position */
  readonly line?: Line | null;
  /** the exploration that answers a click on a piece that the player cannot move */
  readonly peek?: string | undefined;
  /** while set, a click asks about a cell instead of moving */
  readonly onask?: ((cell: string) => void) | undefined;
  /** whether a question other than a move stands in place of the board's words */
  readonly asked?: boolean;
  /** whether moves at a spot between cells are offered */
  readonly spots?: boolean;
  /** the reader's own arrows and circles, where the page keeps them; else they last as long as the position */
  readonly shapes?: readonly Shape[];
  /** Keep what the reader has drawn; null if they may not draw. */
  readonly keepShapes?: ((shapes: readonly Shape[]) => void) | null;
  /** Play the actions of one turn, or of a part of it. */
  play(actions: readonly string[]): unknown;
  /** Leave the line, or the question about a cell. */
  leave?(): void;
  /** Take the position in the middle of a turn, after these actions, which are chosen and not sent; null without any. */
  staged?(view: View | null, actions: readonly string[]): void;
}

/** What the buttons of picks show and do, in the popup at a cell and below the board. */
export interface Picking {
  noteOf(pick: Pick): string;
  /** Return the symbol of a pick in the tone of the mover. */
  symbolOf(pick: Pick): PieceSymbol | undefined;
  choose(pick: Pick, by: By): void;
  /** Make the action that is chosen, without a further pick. */
  finish(trial: Trial): void;
  /** The pointer or the focus rests on a button, or has left it. */
  rest(pick: Pick | null, aloud?: boolean): void;
}
