"""The server under test, and a person's hands on the page."""

import json
import os
import re
import subprocess
import sys
import threading
import urllib.request
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

from .seats import HERE, ME, PASSWORD, Seat

PATIENCE = 60  # seconds that a step may take on a busy machine


LISTEN = """
window.heard = [];
new MutationObserver(() => {
    const said = document.getElementById("aloud")?.textContent ?? "";
    if (said && said !== window.heard.at(-1)) window.heard.push(said);
}).observe(document, { subtree: true, childList: true, characterData: true });
"""
HEARD = """words => {
    const at = window.heard.findLastIndex(said => said.includes(words));
    if (at < 0) return false;
    window.heard.splice(0, at);
    return true;
}"""


OPENER = urllib.request.build_opener()


def ask(url: str, body: Any = None, method: str | None = None, opener: urllib.request.OpenerDirector = OPENER) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    with opener.open(request, timeout=120) as answer:
        return json.load(answer)


class Server:
    """``tercet serve`` as its own process, with ``data`` as its data directory and ``more`` options."""

    def __init__(self, data: Path, port: int = 0, more: Sequence[str] = ()) -> None:
        self.data = data
        words = f"-m tercet serve --port {port} --no-browser --data-dir"
        command = [sys.executable, *words.split(), str(data), *more]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "NO_COLOR": "1"}
        )
        assert self.process.stdout is not None
        self.said: deque[str] = deque(maxlen=400)  # its latest lines
        for line in self.process.stdout:
            self.said.append(line)
            found = re.search(r"http://[\d.]+:(\d+)", line)
            if found:
                self.port = int(found[1])
                self.base = f"http://127.0.0.1:{self.port}"
                # a server whose pipe is full would stand still
                threading.Thread(target=self.said.extend, args=(self.process.stdout,), daemon=True).start()
                return
        raise RuntimeError("the server did not start:\n" + "".join(self.said))

    def stop(self, kill: bool = False) -> None:
        if kill:
            self.process.kill()
        else:
            self.process.terminate()
        self.process.wait(20)

    close = stop

    def get(self, path: str) -> Any:
        return ask(self.base + path)

    def post(self, path: str, body: Any) -> Any:
        return ask(self.base + path, body)

    def table(self, seats: list[Seat] | None = None, **wish: Any) -> str:
        """Open a table; the address with the seats' tokens for whoever opened it."""
        made = self.post("/api/tables", {"seats": seats or [ME, HERE], **wish})
        tokens = "&".join(f"seat={seat['token']}" for seat in made["seats"] if seat["token"])
        return f"{self.base}/t/{made['id']}#{tokens}"

    def links(self, seats: list[Seat], **wish: Any) -> list[str]:
        """Open a table; the address of each seat."""
        made = self.post("/api/tables", {"seats": seats, **wish})
        tokens = [seat["token"] or seat["link"].partition("#seat=")[2] for seat in made["seats"]]
        return [f"{self.base}/t/{made['id']}#seat={token}" for token in tokens]


def custom(page: Page, server: Server, against: str = "Same device", side: int = 0, game: str = "") -> None:
    """Go to the form of a custom game: which, against whom, and how large a board."""
    page.goto(server.base)
    page.get_by_text("Custom game", exact=True).click()
    if game:
        page.get_by_role("radiogroup", name="Game").get_by_text(game).click()
    page.get_by_role("radiogroup", name="Opponent").get_by_text(against).click()
    if side:
        page.locator("summary", has_text="Expert rules").click()
        field = page.get_by_role("spinbutton", name="Side")
        field.fill(str(side))
        field.press("Tab")


def ready(page: Page) -> None:
    """Wait until there is something to choose."""
    page.wait_for_selector(".cell[data-legal]", timeout=120_000)


def at_table(page: Page, address: str) -> None:
    page.goto(address)
    ready(page)


def cell(page: Page, name: str) -> Locator:
    return page.locator(f'.stage [data-cell="{name}"]')


def press(page: Page, *cells: str) -> None:
    for name in cells:
        cell(page, name).click()


def tap(page: Page, *cells: str) -> None:
    for name in cells:
        cell(page, name).tap()


def stored(page: Page, key: str, value: object) -> None:
    page.evaluate("([key, value]) => localStorage.setItem(`tercet.${key}`, JSON.stringify(value))", [key, value])


def menu(page: Page, name: str) -> None:
    page.get_by_role("button", name="More", exact=True).click()
    page.locator("dialog[open]").get_by_role("button", name=name).click()


def resign(page: Page) -> None:
    page.get_by_role("button", name="Resign").click()
    page.locator("dialog[open] button").filter(has_text=re.compile("^~?Resign$")).click()  # a translator may mark it


def sign_up(page: Page, server: Server, handle: str) -> None:
    account = {"handle": handle, "password": PASSWORD, "name": handle.title()}
    answer = page.request.post(f"{server.base}/api/accounts", data=account)
    assert answer.ok, answer.text()


def come(page: Page, link: str) -> None:
    """Open the link of a seat for the first time, and close the invitation."""
    page.goto(link)
    page.locator("dialog[open] .head button").click()


def hold(page: Page, pick: str) -> None:
    button = page.locator(f'[data-pick="{pick}"]')
    if button.get_attribute("aria-pressed") != "true":
        button.click()


def choose(page: Page, move: str, how: Callable[[Page, str], None] = press) -> None:
    """Choose a piece and a cell: ``Rd4``."""
    hold(page, move[0])
    how(page, move[1:])


def play(page: Page, *moves: str, ply: int | None = None) -> None:
    """Play when one may, and wait until each piece stands where it was put; and until ``ply`` is shown."""
    ready(page)
    for move in moves:
        choose(page, move)
        standing(page, move[1:], move[0])
    if ply is not None:
        at_ply(page, ply)


def keys(page: Page, *names: str, ply: int | None = None) -> None:
    for name in names:
        page.keyboard.press(name)
    if ply is not None:
        at_ply(page, ply)


def standing(page: Page, cell: str, symbol: str) -> None:
    page.wait_for_selector(f'[data-cell="{cell}"][data-symbol="{symbol}"]')


def at_ply(page: Page, ply: int) -> None:
    """Wait until the position after ``ply`` moves is shown."""
    page.wait_for_selector(f'.middle[data-ply="{ply}"]')


def said(page: Page, words: str) -> None:
    """Wait until a screen reader was given ``words``: since the page was opened, or since what was waited for last.
    What is said next may come before this is asked."""
    page.wait_for_function(HEARD, arg=words, polling=50)


def result(page: Page) -> str:
    return page.locator(".result p").first.inner_text()
