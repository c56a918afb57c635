/**
 * Keeps the page's own files, so that it opens without a connection and says so. Rules, games and whatever else the
 * server tells are never kept: what is shown is true or it is not shown.
 */
const NAME = `tercet-${"VERSION"}`;
const FILES = ["FILES"];
/** The texts by language; only what somebody reads is kept. */
const WORDS = { en: "WORDS" };
const own = navigator.languages.map((tag) => WORDS[tag.split("-")[0]]).find(Boolean) ?? WORDS.en;

/** A file as it is kept, else as it is fetched; then it is kept. */
async function fetched(request) {
  const known = await caches.match(request);
  if (known) return known;
  const found = await fetch(request);
  if (found.ok) await caches.open(NAME).then((cache) => cache.put(request, found.clone()));
  return found;
}

addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(NAME)
      .then((cache) => cache.addAll([...FILES, own]))
      .then(() => skipWaiting()),
  );
});

addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names.filter((name) => name.startsWith("tercet-") && name !== NAME).map((name) => caches.delete(name)),
        ),
      )
      .then(() => clients.claim()),
  );
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || url.pathname.startsWith("/api/")) return;
  if (request.mode === "navigate")
    event.respondWith(fetch(request).catch(async () => (await caches.match("/")) ?? Response.error()));
  else if (FILES.includes(url.pathname))
    event.respondWith(caches.match(url.pathname).then((kept) => kept ?? fetch(request)));
  else if (Object.values(WORDS).includes(url.pathname)) event.respondWith(fetched(request));
});

/** A notice of the server's (server/people/notices.py): it comes only while no page of the player's is connected. */
addEventListener("push", (event) => {
  const { title, body, path } = event.data.json();
  const about = { body, tag: path, data: path, icon: "/assets/icon192.png" };
  event.waitUntil(registration.showNotification(title, about));
});

/** The browser has ended the push subscription: where the player wants notices here, a new one takes its place. */
addEventListener("pushsubscriptionchange", (event) => event.waitUntil(subscribedAgain()));

async function subscribedAgain() {
  const { device, key } = await fetch("/api/me/notices").then((answer) => answer.json());
  if (!device) return;
  const made = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const { endpoint, keys } = made.toJSON();
  const headers = { "content-type": "application/json" };
  await fetch("/api/me/notices/device", { method: "POST", headers, body: JSON.stringify({ endpoint, ...keys }) });
}

addEventListener("notificationclick", (event) => {
  event.notification.close();
  const to = new URL(event.notification.data ?? "/", location.origin).href;
  event.waitUntil(
    clients.matchAll({ type: "window" }).then((all) => {
      const known = all.find((one) => one.url.split("#")[0] === to) ?? all[0];
      return known
        ? known.focus().then((one) => (one.url.split("#")[0] === to ? one : one.navigate(to)))
        : clients.openWindow(to);
    }),
  );
});
