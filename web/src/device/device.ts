/** Messages between the page of a static site and its worker, and what the page shows of the device. */

/** The files that the worker loads, by their names in the site's folder. */
export interface Build {
  /** the folder of Pyodide */
  pyodide: string;
  /** Tercet's Python: compressed JSON of its files by path, as text or in base 64 */
  package: string;
  /** by game: its WebAssembly module, and the table of its functions */
  games: Record<string, { module: string; table: string }>;
  /** the size of all these files, unpacked */
  bytes: number;
}

/** Prefix of the name of a worker that only makes a snapshot of Python for a build. */
export const MAKER = "snapshot ";

/** Why Tercet cannot start. */
export type Failure = "noWasm" | "noWorker" | "missing" | "broken";
/** Why data is not stored: the browser refuses, or the disk is full; the last two are about the site's own files. */
export type Trouble = "unkept" | "full" | "noRoom" | "notKept";

/** Messages to the worker. */
export type Order =
  | { do: "start"; build: string }
  | { do: "ask"; id: number; method: string; path: string; language: string; body?: string }
  | { do: "open"; channel: string; path: string }
  | { do: "say"; channel: string; text: string }
  | { do: "close"; channel: string }
  | { do: "leave" }
  /** The stored data has changed: reload all windows. */
  | { do: "restart" };

/** Messages from the worker. */
export type Report =
  /** `share` runs from 0 to 1 while Tercet starts. */
  | { is: "progress"; share: number }
  | { is: "failed"; why: Failure; detail: string }
  | { is: "trouble"; what: Trouble }
  | { is: "restarted" }
  | { is: "answer"; id: number; status: number; text: string }
  | { is: "opened" | "closed"; channel: string }
  | { is: "heard"; channel: string; text: string };

/** Whether the site's files are stored on the device for offline use. */
export type Kept = "unable" | "no" | "going" | "yes";

export interface DeviceState {
  /** progress of the start, from 0 to 1 */
  started: number;
  failure: { why: Failure; detail: string } | null;
  trouble: Trouble | null;
  /** another window has Tercet open, in a browser whose windows cannot share a worker */
  elsewhere: boolean;
  kept: Kept;
  /** progress while the files are stored, in bytes */
  bytes: [done: number, all: number];
  /** a newer version of the site is ready */
  newer: boolean;
}

/** The device as the page shows it. */
export interface Device {
  readonly state: Readonly<DeviceState>;
  /** Call `changed` after each change of the state. Return a function that stops this. */
  follow(changed: () => void): () => void;
  /** Store the site's files on this device. */
  keep(): Promise<void>;
  /** Reload the page with the newer version of the site. */
  renew(): void;
  /** Return all stored games and progress as the text of a file. */
  exported(): Promise<string>;
  /** Store the contents of such a file. Throw an error if it is not one. */
  imported(text: string): Promise<void>;
}
