"""The static site in a real Chromium: games at one screen and against engines, and again with no network at all."""

from __future__ import annotations

import functools
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tercet.browser.site import PYODIDE, SiteError, build_site
from tests.browser.conftest import browser  # noqa: F401  (a fixture)
from tests.wasm.modules import loaded

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

GAMES = ("sanqi", "triplicity", "sparklies")
ROOT = Path(__file__).parents[2]
MOST_COMPRESSED = 8_000_000  # bytes of a first visit
pytestmark = [pytest.mark.wasm, pytest.mark.timeout(900)]


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}  # noqa: RUF012

    def log_message(self, *_: object) -> None: ...


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pyodide = Path(os.environ.get("TERCET_PYODIDE", ROOT / ".venv" / "pyodide" / "node_modules" / "pyodide"))
    if not pyodide.exists():
        pytest.skip("THE SITE WAS NOT TESTED: there is no Pyodide (make test-wasm installs it)")
    out = tmp_path_factory.mktemp("site")
    build_site(out, pyodide, {name: loaded(name) for name in GAMES})
    return out


@pytest.fixture
def page(site: Path, browser: Browser) -> Iterator[Page]:  # noqa: F811
    """The site, just opened by a visitor."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(120_000)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"http://127.0.0.1:{server.server_port}/index.html")
    page.wait_for_selector("#board svg")
    yield page
    context.close()
    server.shutdown()
    server.server_close()
    assert not errors


def moves(page: Page) -> int:
    return page.locator("#moves li").count()


def play(page: Page) -> None:
    """Make one action of a person, by the first choices that lead on."""
    before = moves(page)
    for _ in range(8):
        picks = page.locator("#picks button:not([disabled])")
        if picks.count() and not page.locator('#picks button[aria-pressed="true"]').count():
            picks.first.click()
            page.wait_for_selector(f'#picks button[aria-pressed="true"], #moves li:nth-child({before + 1})')
        if moves(page) == before:
            shown = page.locator("#board svg").evaluate_handle("board => board")
            page.locator("#board .cell.next").first.click()
            shown.as_element().wait_for_element_state("hidden")  # type: ignore[union-attr]
        if moves(page) > before:
            return
    raise AssertionError(f"nothing was played: {page.locator('#prompt').inner_text()}")


def choose(page: Page, name: str, *, engine: bool) -> None:
    page.locator("#games button", has_text=name).click()
    page.wait_for_selector(f'#games button[aria-current="true"]:text-is("{name}")')
    for seat in range(1, page.locator("#seats select").count()):
        page.locator("#seats select").nth(seat).select_option("1" if engine else "0")
    page.locator("#setup button[type=submit]").click()
    page.wait_for_selector("#moves:not(:has(li))", state="attached")


@pytest.mark.browser
def test_games_of_a_visitor_with_and_without_a_network(page: Page) -> None:
    for name in ("SanQi", "Triplicity", "Sparklies"):
        choose(page, name, engine=False)
        play(page)
        play(page)
    page.wait_for_selector('#notice:has-text("kept on this device")')
    page.context.set_offline(True)
    page.reload()
    page.wait_for_selector("#moves li:nth-child(2)")
    for name in ("SanQi", "Triplicity", "Sparklies"):
        choose(page, name, engine=True)
        while not page.locator("#players .mover", has_text="engine").count() and moves(page) < 6:
            play(page)
        page.wait_for_selector("#moves li:nth-child(2)")


def test_a_first_visit_is_small(site: Path) -> None:
    import zlib

    sent = sum(len(zlib.compress(path.read_bytes(), 9)) for path in site.rglob("*") if path.is_file())
    assert sent < MOST_COMPRESSED


def test_another_pyodide_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SiteError, match="does not hold the npm package pyodide"):
        build_site(tmp_path / "out", tmp_path, {})
    (tmp_path / "package.json").write_text('{"version": "0.1.0"}')
    with pytest.raises(SiteError, match=f"The site is made for Pyodide {PYODIDE}"):
        build_site(tmp_path / "out", tmp_path, {})
