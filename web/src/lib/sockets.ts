/** Where the server's sockets are. */
import { language } from "../words/words";

/** The address of the socket at `path`, which tells its texts in the language of the page. */
export function socketAddress(path: string): string {
  const address = new URL(path, location.href);
  address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
  if (language !== "en") address.searchParams.set("lang", language);
  return address.href;
}
