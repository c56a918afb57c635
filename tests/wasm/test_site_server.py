"""The static site as the client of a server, in a real Chromium: what is asked where, and what the page says."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page

from tests.browser.hands import Company
from tests.browser.seats import FRIEND, ME, SMALL
from tests.browser.table import at_ply, ready
from tests.server.conftest import Serving
from tests.wasm.site import TWO, Host, Visitor

Serve = Callable[..., Serving]
pytestmark = [pytest.mark.wasm, pytest.mark.browser, pytest.mark.timeout(900)]
ASK = """async ([method, path, body]) => {
    const sent = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    return (await tercetBackend.fetch(path, { method, ...sent })).json();
}"""
REQUESTS = "() => performance.getEntriesByType('resource').map(one => one.name)"


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Servers with these options; they stop at the end."""
    started: list[Serving] = []

    def start(**options: Any) -> Serving:
        started.append(Serving(tmp_path / str(len(started)), **options))
        return started[-1]

    yield start
    for server in started:
        server.stop()


def address(server: Serving) -> str:
    return f"http://127.0.0.1:{server.port}"


def connect(page: Page, host: Host, server: Serving, refused: str = "") -> None:
    """Follow a link to the server, agree, and wait until the page says that it is a client, or why not."""
    page.goto(f"{host.base}/#server={address(server)}")
    page.get_by_text("Connect this page to the server").wait_for()
    page.get_by_role("button", name="Connect", exact=True).click()
    page.get_by_text(refused or f"Connected to the server 127.0.0.1:{server.port}").wait_for()


class Friends(Company):
    """Two people at a table of the server: one at the site, the other at the server's own page."""

    def arrive(self, address: str) -> None:  # noqa: ARG002  (each has a link)
        site, friend = self.pages
        site.evaluate("path => { location.hash = path }", self.links[0].removeprefix(self.base))
        friend.goto(self.links[1])
        for page in self.pages:
            page.wait_for_selector(".stage .cell")


def test_a_game_between_the_site_and_the_servers_page(host: Host, visitor: Visitor, page: Page, serve: Serve) -> None:
    server = serve(sites=host.base)
    connect(page, host, server)
    wish = {**SMALL, "seats": [ME, FRIEND]}
    made = page.evaluate(ASK, ["POST", "/api/tables", wish])
    mine, theirs = made["seats"]
    links = [f"{address(server)}/t/{made['id']}#seat={mine['token']}", address(server) + theirs["link"]]
    friends = Friends([page, visitor().new_page()], links, ["mouse", "mouse"])
    for _ in range(6):
        friends.play(friends.paths[0][0])
    friends.close()
    page.reload()
    at_ply(page, 6)
    page.evaluate("() => { location.hash = '/games' }")
    page.get_by_role("heading", name="On this device", level=2).wait_for()
    page.locator(f"main a[href='#/t/{made['id']}']").first.wait_for()


def test_what_needs_no_server_stays_on_the_device(host: Host, page: Page, serve: Serve) -> None:
    server = serve(sites=host.base)
    connect(page, host, server)
    own = page.evaluate(ASK, ["POST", "/api/tables", TWO])["id"]
    elsewhere = {"table": own, "ply": 0, "seats": [ME, FRIEND]}
    theirs = page.evaluate(ASK, ["POST", "/api/tables", elsewhere])["id"]
    assert {one["id"] for one in page.evaluate(ASK, ["GET", "/api/me/tables", None])["tables"]} == {own, theirs}
    for path in (f"/t/{own}", "/learn/sanqi/placing", "/analysis?game=sanqi"):
        page.evaluate("path => { location.hash = path }", path)
        ready(page)
    asked = {urlsplit(one).path for one in page.evaluate(REQUESTS) if one.startswith(address(server))}
    assert asked
    assert all(re.match("/health$|/api/(me|tables|ratings|lobby)", one) for one in asked)
    assert not any(own in one for one in asked)
    page.evaluate("() => { location.hash = '/' }")
    page.get_by_role("button", name="Disconnect").first.click()
    page.get_by_role("link", name="Your games").wait_for()
    assert not page.get_by_role("link", name="Sign in").count()
    page.evaluate("path => { location.hash = path }", f"/t/{own}")
    ready(page)


def test_an_account_of_the_server(host: Host, page: Page, serve: Serve) -> None:
    server = serve(sites=host.base)
    connect(page, host, server)
    account = {"handle": "fromsite", "password": "correct horse battery"}
    assert page.evaluate(ASK, ["POST", "/api/accounts", account])["person"]["handle"] == "fromsite"
    page.reload()
    page.get_by_role("link", name="fromsite, your profile").wait_for()
    page.evaluate("() => { location.hash = '/account' }")
    page.get_by_text("are managed on the server’s own page").wait_for()
    assert not page.get_by_label("Current password").count()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("link", name="Sign in").click()
    lost = page.get_by_role("link", name="Forgot password?")
    assert lost.get_attribute("href") == f"{address(server)}/account"
    assert [key for key in page.evaluate("() => Object.keys(localStorage)") if key.startswith("tercet-server ")] == []


def test_a_server_that_has_not_named_the_site(host: Host, page: Page, serve: Serve) -> None:
    server = serve(sites="https://another.example")
    connect(page, host, server, f"The server 127.0.0.1:{server.port} does not let this site in.")
    assert page.get_by_role("link", name="Open the server’s own page").get_attribute("href") == address(server)
    page.get_by_role("button", name="Not now").click()
    page.reload()
    page.wait_for_selector("article.card")
    assert not page.get_by_text("127.0.0.1").count()


def test_a_server_that_is_down(host: Host, page: Page, serve: Serve) -> None:
    server = serve(sites=host.base)
    connect(page, host, server)
    server.stop()
    page.reload()
    page.get_by_text(f"The server 127.0.0.1:{server.port} can’t be reached.").wait_for()
    page.locator("article.card").first.get_by_role("button", name="Play SanQi now").click()
    ready(page)
    assert "/t/own" in page.url, "a game on this device"


def test_a_server_of_another_version(host: Host, page: Page, serve: Serve) -> None:
    server = serve(sites=host.base)
    health = {"status": 200, "json": {"version": "99.1.0"}, "headers": {"access-control-allow-origin": "*"}}
    page.route("**/health", lambda route: route.fulfill(**health))
    connect(page, host, server, "runs Tercet 99.1.0, which does not fit this site")
    assert not page.get_by_text("Connected to the server").count()
