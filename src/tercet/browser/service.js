// Keeps every file of one build on the device, once the visitor wants that, and answers from there. A new build waits
// until the visitor asks for it, or until no window has the old one.
const PREFIX = `tercet ${new URL(registration.scope).pathname} `;
const NAME = `${PREFIX}@BUILD@`;
const SIZES = JSON.parse('@FILES@'); // bytes by path
const NAMED_ALIKE = ["./", "manifest.webmanifest"]; // in all builds: the names of other files change with their content

async function tell(message) {
  for (const one of await clients.matchAll({ includeUncontrolled: true, type: "window" })) one.postMessage(message);
}

async function keepAll() {
  const cache = await caches.open(NAME);
  const all = Object.values(SIZES).reduce((sum, bytes) => sum + bytes, 0);
  let done = 0;
  const results = await Promise.allSettled(
    Object.entries(SIZES).map(async ([path, bytes]) => {
      await cache.add(new Request(path, { cache: NAMED_ALIKE.includes(path) ? "no-cache" : "default" }));
      done += bytes;
      await tell({ bytes: [done, all] });
    }),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (!failed) return;
  await caches.delete(NAME);
  await tell({ trouble: failed.reason?.name === "QuotaExceededError" ? "noRoom" : "notKept" });
  throw failed.reason;
}

addEventListener("install", (event) => event.waitUntil(keepAll()));

addEventListener("message", ({ data }) => {
  if (data === "renew") skipWaiting();
});

addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== NAME) await caches.delete(name);
    await clients.claim();
  })());
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  event.respondWith((async () => {
    const cache = await caches.open(NAME);
    return (await cache.match(request.mode === "navigate" ? "./" : request, { ignoreSearch: true })) ?? fetch(request);
  })());
});
