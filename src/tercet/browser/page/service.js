// Keeps every file of one build on the device, and answers from there. A new build waits until no window has the old one.
const BUILD = "@BUILD@";
const FILES = JSON.parse('@FILES@');

addEventListener("install", (event) => {
  event.waitUntil(caches.open(BUILD).then((cache) => cache.addAll(FILES.map((name) => new Request(name, { cache: "no-cache" })))));
});

addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith("tercet-") && name !== BUILD) await caches.delete(name);
    await clients.claim();
  })());
});

addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== location.origin) return;
  event.respondWith((async () => {
    const cache = await caches.open(BUILD);
    return (await cache.match(event.request, { ignoreSearch: true })) ?? fetch(event.request);
  })());
});
