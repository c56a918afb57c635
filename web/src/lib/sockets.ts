/** Sockets of the server, or of the worker that stands in for it. */
import { backend, type Socket } from "./backend";
import { language } from "../words/words";

/** Open the socket at `path`; its texts come in the language of the page. */
export const openSocket = (path: string): Socket =>
  backend.open(language === "en" ? path : `${path}${path.includes("?") ? "&" : "?"}lang=${language}`);
