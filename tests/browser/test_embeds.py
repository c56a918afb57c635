"""A page of another site shows a game in a frame, and nothing else of this one."""

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote, unquote

import pytest
from playwright.sync_api import Browser, Page

from .hands import axe
from .seats import SMALL, Meet
from .states import JEOPARDY
from .table import Server, at_table, menu, play

pytestmark = [pytest.mark.browser, pytest.mark.page]


class Other(BaseHTTPRequestHandler):
    """Another site, whose page frames what its address asks for."""

    def do_GET(self) -> None:
        body = f'<!doctype html><title>Other</title><iframe src="{unquote(self.path[2:])}"></iframe>'.encode()
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def other(browser: Browser) -> Iterator[Callable[[str], str]]:
    """Return what a frame on another site shows of an address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as site:
        threading.Thread(target=site.serve_forever).start()
        page = browser.new_page()

        def framed(address: str) -> str:
            page.goto(f"http://127.0.0.1:{site.server_port}/?{quote(address, safe='')}")
            page.wait_for_load_state("networkidle")
            (frame,) = page.frames[1:]
            return str(frame.evaluate("document.querySelector('main')?.parentElement.innerText ?? ''"))

        yield framed
        page.close()
        site.shutdown()


def test_the_code_of_a_game_works_on_another_site(page: Page, server: Server, other: Callable[[str], str]) -> None:
    at_table(page, server.table(**SMALL))
    play(page, "Rd4")
    menu(page, "Embed")
    page.wait_for_selector(".toast")
    code: str = page.evaluate("() => navigator.clipboard.readText()")
    address = code.split('src="')[1].split('"')[0]
    assert address.startswith(f"{server.base}/embed/t/")
    assert "1/1 · Rd4: Red on d4." in other(address)
    for closed in (address.replace("/embed", ""), server.base, f"{server.base}/analysis"):
        assert other(closed) == "", closed
    at_table(page, f"{server.base}/analysis?position={quote(JEOPARDY)}")
    menu(page, "Embed")
    page.wait_for_function("async () => (await navigator.clipboard.readText()).includes('/embed/position')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_embed_is_read_by_everyone(meet: Meet, server: Server, scheme: str) -> None:
    page = meet(color_scheme=scheme)
    at_table(page, server.table(**SMALL))
    play(page, "Rd4")
    page.set_viewport_size({"width": 300, "height": 360})
    page.goto(page.url.replace("/t/", "/embed/t/"))
    assert axe(page, "embed") == []
    for key in ("Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    page.wait_for_url("**?ply=0")
    assert "0/1" in page.locator("p").inner_text()
    assert page.locator("svg >> visible=true").count() == 1
