"""A real Chromium plays on a real server. Skipped, and said aloud, where there is no Chromium or no built page."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from .hands import Hands
from .seats import Meet
from .table import LISTEN, PATIENCE, Server

# Without hinting a browser without windows lays text out as one with them.
ARGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync", "--font-render-hinting=none"]
ARGS += ["--disable-background-networking", "--disable-component-update"]
PAGE = Path(__file__).parents[2] / "src" / "tercet" / "server" / "page" / "index.html"
DESKTOP: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}}
FINGERS: dict[str, Any] = {"has_touch": True, "is_mobile": True}
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, **FINGERS, "device_scale_factor": 2}


expect.set_options(timeout=PATIENCE * 1000)


def chromium_path() -> str | None:
    named = os.environ.get("TERCET_CHROMIUM")
    names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    return named or next((found for name in names if (found := shutil.which(name))), None)


# Not for the session: Playwright keeps an event loop running, which other tests of the process must not meet.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium: the system's, else Playwright's own."""
    if not PAGE.exists():
        pytest.skip("THE BROWSER TESTS DID NOT RUN: the page is not built (npm ci && npm run build in web/)")
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        try:
            started = playwright.chromium.launch(executable_path=chromium_path(), args=ARGS)
        except Error as error:
            reason = str(error).strip().splitlines()[0]
            pytest.skip(f"THE BROWSER TESTS DID NOT RUN: no Chromium could be started ({reason})")
        yield started
        started.close()


@pytest.fixture(scope="module")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for the tests of a file, with games of its own."""
    started = Server(tmp_path_factory.mktemp("games"))
    for game in started.get("/api/games"):  # what is compiled at its first use is compiled before a browser waits
        started.get(f"/api/rules/{game['name']}")
    yield started
    started.stop()


@pytest.fixture
def usual(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The options of every browser here. A service worker, which fetches all parts of the page, would make a test cost
    half as much again, so a test that needs one asks for it. Files whose tests need motion have the mark `motion`."""
    moves = request.node.get_closest_marker("motion") is not None
    return {"service_workers": "block", "reduced_motion": "no-preference" if moves else "reduce"}


class Watch:
    """What a page did that no page of ours may do."""

    def __init__(self) -> None:
        self.faults: list[str] = []

    def follow(self, page: Page) -> Page:
        page.add_init_script(LISTEN)
        page.on("pageerror", lambda error: self.faults.append(f"error in the page: {error}"))
        page.on("request", lambda request: self.asked(request.url))
        return page

    def asked(self, url: str) -> None:
        if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:")):
            self.faults.append(f"request to {url}")


@pytest.fixture
def meet(browser: Browser, server: Server, usual: dict[str, Any]) -> Iterator[Meet]:
    """Several people at once, each with a browser of their own: call it for each, with ``PHONE`` for one with a phone.
    No page of theirs may fail."""
    contexts: list[BrowserContext] = []
    watch = Watch()

    def person(**options: Any) -> Page:
        context = browser.new_context(**{**usual, **DESKTOP, **options})
        context.set_default_timeout(PATIENCE * 1000)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.base)
        contexts.append(context)
        return watch.follow(context.new_page())

    yield person
    for context in contexts:
        context.close()
    assert watch.faults == []


@pytest.fixture
def page(meet: Meet) -> Page:
    """A desktop window."""
    return meet()


@pytest.fixture
def phone(meet: Meet) -> Page:
    """A phone's screen, 390 by 844, touched."""
    return meet(**PHONE)


@pytest.fixture
def night(meet: Meet) -> Page:
    """A desktop window of someone who likes the dark and no motion."""
    return meet(reduced_motion="reduce", color_scheme="dark")


@pytest.fixture
def sit() -> Iterator[Callable[..., Hands]]:
    """Sit down at a table that a server opens."""
    sitting: list[Hands] = []

    def at(page: Page, address: str, how: str = "mouse") -> Hands:
        sitting.append(Hands(page, address, how))
        return sitting[-1]

    yield at
    for hands in sitting:
        hands.close()
