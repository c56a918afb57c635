"""The site without a server where storage is refused, the disk is full, or another version runs: nothing is lost."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import ARGS, DESKTOP, chromium_path
from tests.browser.seats import SMALL, engine, seats
from tests.browser.table import at_ply
from tests.support.waiting import until
from tests.wasm.site import STARTED, TWO, Host, Site, SiteHands, begun, keep, play_once, replace

# A browser that stores no data for sites refuses in each of these ways.
NO_DATABASE = """
const refusal = () => new DOMException("Access is denied.", "SecurityError");
const refuse = () => { throw refusal(); };
const refused = () => Promise.reject(refusal());
IDBFactory.prototype.open = refuse;
for (const name of ["open", "match", "has", "keys", "delete"]) CacheStorage.prototype[name] = refused;
"""
NO_DATA = (
    NO_DATABASE
    + """
LockManager.prototype.request = refused;
if (globalThis.window) {
    for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(window, name, { get: refuse });
    for (const name of ["register", "getRegistration"]) ServiceWorkerContainer.prototype[name] = refused;
    window.SharedWorker = class { constructor() { refuse(); } };
}
"""
)
pytestmark = [pytest.mark.wasm, pytest.mark.browser, pytest.mark.timeout(900)]


@pytest.mark.parametrize("script", [NO_DATABASE, NO_DATA], ids=["no database", "no data at all"])
def test_a_browser_that_stores_nothing_plays_and_says_so(host: Host, page: Page, script: str) -> None:
    host.before = {"/deviceWorker-": script}
    page.add_init_script(script)
    site = Site(page, host)
    page.get_by_text("This browser stores no data for this site.").first.wait_for()
    page.wait_for_function(STARTED)
    hands = SiteHands(site, seats=seats(2, engine()), **SMALL)
    for _ in range(2):
        hands.play(hands.paths[0][0])
    table = page.url.split("/t/")[1]
    page.get_by_role("link", name="Your games").click()
    page.locator(f'a[href*="{table}"]').first.wait_for()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save to a file").click()
    assert table in Path(download.value.path()).read_text("utf-8")


def anew(page: Page, table: str, plies: int) -> Page:
    """Open a table in another page once this one is closed; it shows so many plies."""
    page.close()
    page = page.context.new_page()
    page.goto(table)
    page.wait_for_function(STARTED)
    at_ply(page, plies)
    return page


# Fills the space that the browser gives the site, and returns whether that is full.
FILL = """() => new Promise(done => {
    const request = indexedDB.open("filler", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("shelf", { autoIncrement: true });
    request.onsuccess = async () => {
        for (const size of [100_000, 5_000, 500, 50])
            for (let full = false; !full; )
                full = await new Promise(written => {
                    const made = request.result.transaction("shelf", "readwrite");
                    made.objectStore("shelf").put("x".repeat(size));
                    made.oncomplete = () => written(false);
                    made.onabort = () => written(true);
                });
        request.result.close();
        done(true);
    };
})"""
EMPTY = """() => new Promise(done => { indexedDB.deleteDatabase("filler").onsuccess = () => done(true); })"""
SPACE = 1_000_000  # bytes


def test_a_full_disk_is_said_and_what_was_saved_stays(host: Host, page: Page) -> None:
    no_space = "This device has no space left for Tercet."
    page.goto(f"{host.base}/service.js")
    space = page.context.new_cdp_session(page)
    space.send("Storage.overrideQuotaForOrigin", {"origin": host.base, "quotaSize": SPACE})
    page = page.context.new_page()
    hands = begun(page, host)
    table = page.url
    page.evaluate(FILL)
    hands.play(hands.paths[0][0])
    page.get_by_text(no_space).first.wait_for()
    page = anew(page, table, 1)
    page.get_by_role("link", name="Play").click()
    page.get_by_role("button", name="Keep offline").click()
    page.get_by_text("This device does not have enough space to keep Tercet").wait_for()
    hands = SiteHands(Site(page, host), **TWO)
    page.get_by_text(no_space).first.wait_for()
    hands.play(hands.paths[0][0])
    page.evaluate(EMPTY)
    hands.play(hands.paths[0][0])
    page.get_by_text(no_space).first.wait_for(state="detached")
    table = page.url
    page = anew(page, table, 2)


def test_two_versions_do_not_write_over_each_others_games(copied: Host, page: Page) -> None:
    other = page.context.new_page()
    begun(page, copied)
    table = page.url
    (build,) = copied.folder.glob("build-*.json")
    build.rename(build.with_name("build-newer.json"))
    index = copied.folder / "index.html"
    replace(index, index.read_text("utf-8").replace(build.name, "build-newer.json"))
    other.goto(table)
    other.reload()  # the browser may have kept the older page for a while
    other.wait_for_function(STARTED)
    at_ply(other, 1)
    page.get_by_text("Another version of Tercet was opened in another window.").wait_for()
    play_once(other)
    at_ply(other, 2)
    page.reload()
    page.wait_for_function(STARTED)
    at_ply(page, 2)


# Replaces the snapshot of Python's memory, and returns the name of its build.
REPLACE = """async change => {
    const [name] = (await caches.keys()).filter(name => name.startsWith("tercet-snapshot"));
    const cache = await caches.open(name);
    const [{ url }] = await cache.keys();
    const found = await cache.match(url);
    const whole = await found.arrayBuffer();
    const { headers } = found;
    await cache.delete(url);
    if (change === "garbage")
        await cache.put(url, new Response(new Uint8Array(whole.byteLength).fill(7), { headers }));
    else if (change === "cut") await cache.put(url, new Response(whole.slice(0, whole.byteLength / 2), { headers }));
    else await cache.put(url.replace("build-", "build-older"), new Response(whole, { headers }));
}"""
# The bytes of the snapshot of this build, which must be the only one.
KEPT = """async () => {
    const [name] = (await caches.keys()).filter(name => name.startsWith("tercet-snapshot"));
    const cache = name && await caches.open(name);
    const urls = cache ? (await cache.keys()).map(({ url }) => url) : [];
    const build = document.querySelector('meta[name="tercet-build"]').content;
    if (urls.length !== 1 || !urls[0].endsWith(`/${build}`)) return null;
    const bytes = new Uint8Array(await (await cache.match(urls[0])).arrayBuffer());
    return [bytes.length, bytes[0]];
}"""


@pytest.mark.parametrize("change", ["garbage", "cut", "another build"])
def test_a_snapshot_that_does_not_fit_is_made_anew(host: Host, page: Page, change: str) -> None:
    keep(Site(page, host).page)
    begun(page, host)
    table = page.url
    made = until(lambda: page.evaluate(KEPT))
    page.evaluate(REPLACE, change)
    assert page.evaluate(KEPT) != made
    page = anew(page, table, 1)
    play_once(page)
    at_ply(page, 2)
    assert until(lambda: page.evaluate(KEPT))[1] == made[1]
    page = anew(page, table, 2)


SNAPSHOT_SPACE = 20_000_000  # bytes: no other file of a profile is as large


def test_a_damaged_snapshot_is_noticed_and_made_anew(host: Host, browser: Browser, tmp_path: Path) -> None:
    context = browser.browser_type.launch_persistent_context(
        tmp_path, executable_path=chromium_path(), args=ARGS, timeout=120_000, **DESKTOP
    )
    context.set_default_timeout(120_000)
    page = context.new_page()
    page.goto(host.base)
    keep(page)
    made = until(lambda: page.evaluate(KEPT))
    page.close()
    (file,) = (one for one in tmp_path.rglob("*") if one.is_file() and one.stat().st_size > SNAPSHOT_SPACE)
    with file.open("r+b") as snapshot:
        snapshot.seek(file.stat().st_size // 2)
        damaged = bytes(255 - byte for byte in snapshot.read(64))
        snapshot.seek(-64, os.SEEK_CUR)
        snapshot.write(damaged)
    page = context.new_page()
    page.goto(host.base)
    page.wait_for_function(STARTED)
    assert not page.evaluate(KEPT)
    assert until(lambda: page.evaluate(KEPT))[1] == made[1]
    context.close()


FAILING_CACHE = """
addEventListener("message", ({ data }) => {
    if (data === "fail") CacheStorage.prototype.match = () => Promise.reject(new DOMException("", "UnknownError"));
});
"""


def test_the_host_answers_where_the_kept_files_cannot_be_read(host: Host, page: Page) -> None:
    host.before = {"/service.js": FAILING_CACHE}
    keep(Site(page, host).page)
    page.reload()
    page.evaluate("() => navigator.serviceWorker.controller.postMessage('fail')")
    page.reload()
    page.wait_for_selector("article.card")
    page.wait_for_function(STARTED)
