// Keeps every file of one build on the device, once the visitor wants that, and answers from there. A new build waits
// until the visitor asks for it, or until no window has the old one.
const PREFIX = `tercet ${new URL(registration.scope).pathname} `;
const NAME = `${PREFIX}@BUILD@`;
const DOCS = `${PREFIX}docs`; // the cache of what the visitor has read of the documentation, in any build
const LOST = "@LOST@"; // the page that leads from the address that a server gives a page to that of the site
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

// Browsers that take routes serve these files without this worker, which they need not start then.
async function serveFromCache(event) {
  const pathnames = Object.keys(SIZES).map((path) => new URL(path, registration.scope).pathname);
  const files = pathnames.map((pathname) => ({ urlPattern: { pathname, search: "" } }));
  await event.addRoutes?.({ condition: { or: files }, source: { cacheName: NAME } });
}

addEventListener("install", (event) => {
  event.waitUntil(keepAll());
  event.waitUntil(serveFromCache(event).catch(() => undefined)); // too many for this browser
});

addEventListener("message", ({ data }) => {
  if (data === "renew") skipWaiting();
});

addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith(PREFIX) && ![NAME, DOCS].includes(name)) await caches.delete(name);
    await clients.claim();
  })());
});

// Pages of the documentation come from the host, and without a network as they were last read.
async function readDocs(event) {
  const { request } = event;
  const cache = await caches.open(DOCS);
  try {
    const found = await fetch(request);
    if (found.ok) event.waitUntil(cache.put(request, found.clone()).catch(() => undefined));
    return found;
  } catch (error) {
    const kept = await cache.match(request);
    if (kept) return kept;
    if (request.mode !== "navigate") throw error;
    return new Response("This page of the documentation is not on this device yet. Open it once with a network.", { status: 503 });
  }
}

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  if (request.url.startsWith(`${registration.scope}docs/`)) return event.respondWith(readDocs(event));
  event.respondWith((async () => {
    const page = request.mode === "navigate";
    if (page && !/^(index\.html)?([?#]|$)/.test(request.url.slice(registration.scope.length)))
      return new Response(LOST, { headers: { "Content-Type": "text/html" } });
    const wanted = page ? "./" : request;
    // not with ignoreSearch: Chromium would read every entry of the cache for each request
    const kept = await caches.match(wanted, { cacheName: NAME }).catch(() => undefined);
    return kept ?? fetch(request);
  })());
});
