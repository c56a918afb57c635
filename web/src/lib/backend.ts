/** The page's backend: a server or, on a static site, a worker that runs Tercet's Python (device/). */
import type { Device } from "./device";

/** The part of a WebSocket that the page uses. */
export interface Socket {
  readonly readyState: number;
  onopen: ((event: Event) => unknown) | null;
  onmessage: ((event: MessageEvent<string>) => unknown) | null;
  onclose: ((event: CloseEvent) => unknown) | null;
  send(text: string): void;
  close(): void;
}

export interface Backend {
  /** Answer a request to `/api/...` in the language of its `accept-language` header. */
  fetch(path: string, init: RequestInit): Promise<Response>;
  /** Open a socket to `/api/...`. */
  open(path: string): Socket;
  /** whether there is a server: other people (accounts, invitations, lobby, ratings, tournaments), studies, previews */
  people: boolean;
  /** the part of an address before a path of the page */
  root: string;
  /** the origin of the server that a site is a client of; empty on a server's own page, and without a server */
  server: string;
  /** the worker on this device, if the page is a site's */
  device?: Device;
}

declare global {
  /** Set by device/deviceStart.ts, which a static site loads before the page. */
  var tercetBackend: Backend | undefined;
}

export const backend: Backend = globalThis.tercetBackend ?? {
  fetch: (path, init) => fetch(path, init),
  open: (path) => new WebSocket(new URL(path, location.href.replace("http", "ws"))),
  people: true,
  root: "",
  server: "",
};

/** Return the whole address of a path of the page. */
export const addressOf = (path: string): string => new URL(backend.root + path, location.href).href;

/** Return the address of a table that others open: on its server's own page. */
export const invitationTo = (path: string): string =>
  new URL((backend.server || backend.root) + path, location.href).href;

/** Return the address of a file that the server sends. */
export const fileAt = (path: string): string => backend.server + path;

/** Return whether the server offers the files with which its engines think on this device (device/thinking.svelte.ts). */
export const offersDevice = (): boolean =>
  !backend.device && typeof document === "object" && !!document.querySelector(`meta[name="tercet-build"]`);
