"""The page as something to install: manifest, icons, and what it says where there is no connection."""

import urllib.request

import pytest
from PIL import Image
from playwright.sync_api import Browser, CDPSession, Page

from tercet.server.web.pages import PAGES

from .screen import visit
from .seats import SMALL, Meet
from .table import Server, at_table

pytestmark = [pytest.mark.browser, pytest.mark.page]


def test_the_manifest_and_its_icons(page: Page, server: Server) -> None:
    page.goto(server.base)
    told = page.evaluate("fetch(document.querySelector('link[rel=manifest]').href).then(answer => answer.json())")
    assert (told["display"], told["start_url"]) == ("standalone", "/")
    sizes = {}
    for icon in told["icons"]:
        with urllib.request.urlopen(server.base + icon["src"]) as answer:
            assert answer.headers["content-type"].split(";")[0] == icon["type"]
            if icon["type"] == "image/png":
                image = Image.open(answer).convert("RGBA")
                sizes[icon["src"]] = icon["sizes"]
                assert icon["sizes"] == f"{image.width}x{image.width}" == f"{image.width}x{image.height}"
                disc = image.getpixel((image.width // 2, image.width // 2 - image.width // 5))
                assert disc == (203, 70, 48, 255), "the red disc"
                assert image.getchannel("A").getpixel((2, 2)) == (255 if icon.get("purpose") == "maskable" else 0)
    assert len(sizes) >= 3


def hold_back(page: Page, *requests: str) -> CDPSession:
    """Let nothing answer these requests while the session lasts; a route of Playwright would leave a task behind."""
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    network.send("Fetch.enable", {"patterns": [{"urlPattern": one} for one in requests]})
    return network


PLACES = {"game": "sanqi", "id": "x", "skin": "x", "handle": "x"}
SHOWS = """() => [...document.querySelectorAll('main > .waits')].some(one =>
    one.checkVisibility({opacityProperty: true, visibilityProperty: true}) && one.getBoundingClientRect().height > 3)"""


def test_every_page_says_within_a_third_of_a_second_that_it_waits(meet: Meet, server: Server) -> None:
    """Those that had a heading from the beginning did not, and some said meanwhile that there is nothing."""
    page = meet()
    network = hold_back(page, "*/api/*")
    for path in (*PAGES, "/learn/sanqi/placing"):
        page.goto(server.base + path.format_map(PLACES), wait_until="commit")
        page.locator("main > .waits", has_text="Loading …").wait_for(state="attached")
        page.wait_for_timeout(300)  # what is tested
        assert page.evaluate(SHOWS), f"{path}: {page.locator('main').inner_html()[:1000]}"
        for none in ("No tournaments", "None right now", "You haven't played"):
            assert none not in page.locator("main").inner_text(), path
    network.detach()
    network = hold_back(page, "*/api/*", "*/assets/*.js")
    page.goto(server.base, wait_until="commit")
    page.locator("body > .waits", has_text="Loading …").wait_for()
    page.wait_for_timeout(500)  # it is not only passing by: the parts of the page are held back
    assert page.locator("body > .waits").is_visible()
    network.detach()
    page.goto(f"{server.base}/players")
    page.wait_for_load_state("networkidle")
    assert not page.evaluate(SHOWS)


def test_what_a_server_does_not_offer_is_not_offered_in_links(meet: Meet, server: Server) -> None:
    """This one has no files for the designers' console."""
    page = meet()
    led: set[str] = set()
    for path in (*PAGES, "/learn/sanqi/placing"):
        page.goto(server.base + path.format_map(PLACES))
        page.wait_for_load_state("networkidle")
        led |= set(page.locator("a[href^='/']").evaluate_all("all => all.map(one => one.getAttribute('href'))"))
    assert "/lab/sanqi" in led
    assert not [link for link in led if link.startswith("/console")]
    for link in ("/lab/sanqi", "/dial/sanqi", "/tournaments", "/players", "/games"):
        visit(page, server.base + link, "main h1")
        assert page.locator("main .fault").count() == 0, link


@pytest.mark.parametrize("part", ["page", "box"])
def test_a_part_that_is_missing_after_an_update_is_said(browser: Browser, server: Server, part: str) -> None:
    """One reload is tried; if it does not help, a sentence and a button say so."""
    page = browser.new_context(service_workers="block").new_page()
    page.set_default_timeout(60_000)
    loads: list[str] = []
    page.on("load", lambda _: loads.append(page.url))
    missing = "**/assets/Learn-*.js" if part == "page" else "**/assets/CustomGame-*.js"
    page.route(missing, lambda route: route.fulfill(status=404))
    page.goto(server.base)
    if part == "page":
        page.get_by_role("link", name="Learn", exact=True).first.click()
    else:
        page.get_by_text("Custom game", exact=True).click()
        page.wait_for_event("load")
        page.get_by_text("Custom game", exact=True).click()
    said = page.locator("main" if part == "page" else ".bars").get_by_text("A part of this page could not be loaded.")
    said.wait_for()
    assert len(loads) == 2
    assert page.get_by_text("A part of this page could not be loaded.").locator("visible=true").count() == 1
    page.unroute(missing)
    page.get_by_role("button", name="Try again").locator("visible=true").click()
    if part == "page":
        page.get_by_role("heading", level=1, name="Learn").wait_for()
    page.context.close()


def test_texts_that_are_missing_are_said_in_three_languages(meet: Meet, server: Server) -> None:
    page = meet(locale="zh-CN")
    for text in ("zh", "en"):
        page.route(f"**/assets/{text}-*.js", lambda route: route.fulfill(status=404))
    visit(page, server.base, "text=此页无法加载")


def test_without_a_connection_it_says_so_and_shows_nothing_old(meet: Meet, server: Server) -> None:
    page = meet(service_workers="allow")
    at_table(page, server.table(**SMALL))
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    board = page.locator(".stage svg.board").bounding_box()
    page.context.set_offline(True)
    page.locator(".offline").wait_for()
    assert page.locator(".stage svg.board").bounding_box() == board, "the notice pushed the board by 58 pixels"
    page.context.set_offline(False)
    page.locator(".offline").wait_for(state="detached")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    kept = page.evaluate(
        "caches.keys().then(names => Promise.all(names.map(name => caches.open(name).then(cache => cache.keys()))))"
        ".then(all => all.flat().map(request => new URL(request.url).pathname))"
    )
    assert "/" in kept
    assert not [path for path in kept if path.startswith("/api/")], "no rules, no games"
    page.context.set_offline(True)
    visit(page, server.base + "/rules/sanqi", "text=You're offline. Tercet needs a connection.")
    page.get_by_text("Can't reach the server.").wait_for()
    assert page.locator("main figure").count() == 0
    page.context.set_offline(False)
    page.get_by_text("Offline.").wait_for(state="detached")
    page.reload()
    page.locator("main figure").first.wait_for()
