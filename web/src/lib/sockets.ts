/** Addresses of the server's sockets. */
import { language } from "../words/words";

/** Return the address of the socket at `path`, whose texts come in the language of the page. */
export function socketAddress(path: string): string {
  const address = new URL(path, location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  if (language !== "en") address.searchParams.set("lang", language);
  return address.href;
}
