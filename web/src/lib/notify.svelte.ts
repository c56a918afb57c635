/** Alerts for a player who looks elsewhere when it is their turn: a notification, if wanted, and the page's icon. */
import { addressOf } from "./backend";
import { settings } from "./settings.svelte";

export const canNotify = (): boolean => typeof Notification !== "undefined" && isSecureContext;
const mayNotify = (): boolean => canNotify() && Notification.permission === "granted";

export const askToNotify = async (): Promise<boolean> =>
  mayNotify() || (canNotify() && (await Notification.requestPermission()) === "granted");

/** Show a notification, unless the page is in view. */
export function nudge(text: string, table: string): void {
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  void import("./sound").then(({ playNotice }) => playNotice());
  if (!settings.notify || !mayNotify()) return;
  const about: NotificationOptions = {
    body: text,
    tag: table,
    icon: iconNamed("icon192.png"),
    data: addressOf(`/t/${table}`),
  };
  void navigator.serviceWorker
    ?.getRegistration()
    .then((worker) => (worker ? worker.showNotification("Tercet", about) : show(about, table)))
    .catch(() => show(about, table));
}

function show(about: NotificationOptions, table: string): void {
  try {
    const made = new Notification("Tercet", about);
    made.onclick = () => {
      focus();
      location.href = addressOf(`/t/${table}`);
    };
  } catch {
    // some phones show notifications only through a worker
  }
}

const iconOf = (): HTMLLinkElement | null => document.querySelector('link[rel="icon"]');
/** The address of a file beside the icon of the tab. */
const iconNamed = (name: string): string => new URL(name, iconOf()?.href).href;

/** Draw the icon of the tab, with a dot while a game waits for the player. */
export function flag(waits: boolean): void {
  const [link, wanted] = [iconOf(), iconNamed(waits ? "turn.svg" : "tercet.svg")];
  if (link && link.href !== wanted) link.href = wanted;
}
