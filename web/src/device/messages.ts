/** Messages between the page of a static site and its worker. */
import type { Failure } from "../lib/device";
import type { Trouble } from "../storage/database";

/** The files that the worker loads, by their names in the site's folder. */
export interface Build {
  /** the folder of Pyodide */
  pyodide: string;
  /** Tercet's Python: compressed JSON of its files by path, as text or in base 64 */
  package: string;
  /** by game: its WebAssembly module, and the table of its functions */
  games: Record<string, { module: string; table: string }>;
  /** the puzzles made for motifs, packed like `package`: loaded when the trainer is opened */
  motifs: string;
  /** the size of all the other files, unpacked */
  bytes: number;
}

/** Prefix of the name of a worker that only makes a snapshot of Python for a build. */
export const MAKER = "snapshot ";
/** Prefix of the name of a worker whose engines think for the one that answers. */
export const HELPER = "engines ";
/** Prefix of the name of a worker that plays the games of the dial for one window. */
export const PLAYER = "games ";
/** Prefix of the name of a worker that runs the cells of the console for one window. */
export const CONSOLE = "console ";

/** Messages to the worker. */
export type Order =
  | { do: "start"; build: string }
  | { do: "ask"; id: number; method: string; path: string; language: string; body?: string }
  | { do: "open"; channel: string; path: string }
  | { do: "say"; channel: string; text: string }
  | { do: "close"; channel: string }
  /** Run a cell of Python. */
  | { do: "run"; cell: string }
  | { do: "leave" }
  /** With a port to the helper: its engines think from now on. */
  | { do: "lend" }
  /** The helper has crashed. */
  | { do: "lost" }
  /** With a port to the worker that answers: think for it. */
  | { do: "help" }
  /** The stored data has changed: reload all windows. */
  | { do: "restart" };

/** Messages from the worker. */
export type Report =
  /** The worker holds this lock as long as it lives. */
  | { is: "alive"; lock: string }
  /** `share` runs from 0 to 1 while Tercet starts. */
  | { is: "progress"; share: number }
  | { is: "failed"; why: Failure; detail: string }
  | { is: "trouble"; what: Trouble | null }
  | { is: "restarted" }
  | { is: "answer"; id: number; status: number; text: string }
  /** A cell has printed this. */
  | { is: "printed"; text: string }
  /** A cell has ended: JSON of `tercet.browser.console`. */
  | { is: "ran"; text: string }
  | { is: "opened" | "closed"; channel: string }
  | { is: "heard"; channel: string; text: string };
