/** The device as the page sees it: a static site runs on it, and a server's page lets engines think there. */
import type { Backend } from "./backend";
import type { Trouble } from "../storage/database";

/** Why Tercet cannot start, or why it has stopped. */
export type Failure = "noWasm" | "noWorker" | "missing" | "broken" | "stopped" | "updated";

/** Whether the site's files are stored on the device for offline use. */
export type Kept = "unable" | "no" | "going" | "yes";

/** Why a site cannot be the client of a server: nothing answers there, its operator has not named the site, or it has
 * another version of Tercet. */
export interface ServerFault {
  why: "unreachable" | "unnamed" | "otherVersion";
  /** the server's version */
  version: string;
}

/** Return whether a table is on this device, and not on a server (`tercet.browser.tables` gives the ids). */
export const isOnDevice = (table: string): boolean => table.startsWith("own");

export interface DeviceState {
  /** progress of the start, from 0 to 1 */
  started: number;
  /** engines think in a worker of their own */
  helped: boolean;
  /** how often that worker has crashed */
  crashes: number;
  failure: { why: Failure; detail: string } | null;
  trouble: Trouble | null;
  /** another window has Tercet open, in a browser whose windows cannot share a worker */
  elsewhere: boolean;
  kept: Kept;
  /** progress while the files are stored, in bytes */
  bytes: [done: number, all: number];
  /** a newer version of the site is ready */
  newer: boolean;
  /** the origin of the server that the site is a client of, or empty */
  server: string;
  /** the origin of a server that a link has named, to be asked about */
  offered: string;
  /** what is wrong with that server */
  serverFault: ServerFault | null;
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
  /** Make the site a client of the offered server, or say in the state why that cannot be. */
  connect(): Promise<void>;
  /** Forget the offered server. */
  decline(): void;
  /** Make the site a client of no server. */
  disconnect(): void;
  /** Return all stored games and progress as the text of a file. */
  exported(): Promise<string>;
  /** Store the contents of such a file. Throw an error if it is not one. */
  imported(text: string): Promise<void>;
}

/** The device for the page of a server: its engines think as those of the server do. */
export interface DeviceEngine extends Pick<Backend, "fetch" | "open"> {
  /** Tercet has started and has not failed. */
  readonly ready: boolean;
  /** Give the device up until the page is loaded again. */
  stop(): void;
  /** Call `changed` when `ready` may have changed. Return a function that stops this. */
  follow(changed: () => void): () => void;
}
