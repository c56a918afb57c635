/** Sockets of the server, or of the worker that stands in for it. */
import { backend, type Socket } from "./backend";
import { language } from "../words/words";

/** Return a socket's path, whose texts then come in the language of the page. */
export const spoken = (path: string): string =>
  language === "en" ? path : `${path}${path.includes("?") ? "&" : "?"}lang=${language}`;
/** Open the socket at `path`. */
export const openSocket = (path: string): Socket => backend.open(spoken(path));
