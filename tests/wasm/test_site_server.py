"""The static site as the client of a server, in two real Chromium windows: what is asked where, and what it says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.conftest import Watch, browser  # noqa: F401  (a fixture)
from tests.browser.hands import Hands
from tests.browser.table import at_ply
from tests.server.conftest import Serving, serve  # noqa: F401  (a fixture)
from tests.wasm.test_site import Host, Site, host, visitor  # noqa: F401  (a fixture)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.wasm, pytest.mark.browser, pytest.mark.timeout(900)]
ASKED = "performance.getEntriesByType('resource').map(one => one.name)"


def address(server: Serving) -> str:
    return f"http://127.0.0.1:{server.port}"


def connect(page: Page, host: Host, server: Serving, path: str = "") -> None:  # noqa: F811
    """Follow a link to the server, and agree."""
    page.goto(f"{host.base}/#server={address(server)}{path}")
    page.get_by_text("Connect this page to the server").wait_for()
    with page.expect_event("load"):
        page.get_by_role("button", name="Connect", exact=True).click()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:  # noqa: F811
    with visitor(browser) as (context, watch):
        yield watch.follow(context.new_page())


def test_a_game_between_the_site_and_the_servers_page(
    host: Host,  # noqa: F811
    browser: Browser,  # noqa: F811
    page: Page,
    serve: Callable[..., Serving],  # noqa: F811
) -> None:
    server = serve(client_sites=host.base)
    connect(page, host, server)
    page.wait_for_selector("article.card")
    page.get_by_text(f"Connected to the server 127.0.0.1:{server.port}").wait_for()
    made = page.evaluate(
        "async body => (await tercetBackend.fetch('/api/tables', { method: 'POST', body, headers: {"
        " 'content-type': 'application/json' } })).json()",
        json.dumps({"game": "sanqi", "options": {"side": 4}, "seats": [{"kind": "me"}, {"kind": "friend"}]}),
    )
    table = made["id"]
    assert not table.startswith("own")
    page.evaluate("path => { location.hash = path }", f"/t/{table}#seat={made['seats'][0]['token']}")
    page.wait_for_selector(".stage .cell")
    link = page.locator("input[readonly]").first.input_value()
    assert link.startswith(address(server)), "for friends, whoever has the site"
    with visitor(browser) as (context, watch):
        guest = watch.follow(context.new_page())
        friend = Hands(guest, link)
        cell = page.locator(".stage [data-cell].legal, .stage [data-cell]").first
        del cell
        for ply in range(4):
            play_one(page if ply % 2 == 0 else guest, server, table, friend if ply % 2 else None)
            at_ply(page, ply + 1)
            at_ply(guest, ply + 1)
        friend.close()
    assert not any("/api/games" in one for one in page.evaluate(ASKED) if one.startswith(address(server)))
