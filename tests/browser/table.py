"""The server under test, and a person's hands on the page."""

import json
import os
import re
import subprocess
import sys
import threading
import urllib.request
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import FloatRect, Locator, Page

HOT_SEAT = [{"kind": "me"}, {"kind": "here"}]
PATIENCE = 60  # seconds that a step may take on a busy machine

SETTLED = """async () => {
    const frame = () => new Promise(requestAnimationFrame);
    const late = performance.now() + 10_000;
    await frame();
    await frame();
    while (document.body.hasAttribute("data-waits") && performance.now() < late) await frame();
    const ending = document.getAnimations().filter(each => each.effect.getComputedTiming().endTime !== Infinity);
    const arrived = Promise.all(ending.map(each => each.finished.catch(() => null)));
    await Promise.race([arrived, new Promise(go => setTimeout(go, 400))]); // a word that fades takes its time
    await frame();
}"""

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
        """End the process."""
        if kill:
            self.process.kill()
        else:
            self.process.terminate()
        self.process.wait(20)

    def get(self, path: str) -> Any:
        """Ask the server."""
        with urllib.request.urlopen(self.base + path, timeout=120) as answer:
            return json.load(answer)

    def post(self, path: str, body: Any) -> Any:
        """Ask the server."""
        request = urllib.request.Request(
            self.base + path, json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)

    def table(self, seats: list[dict[str, Any]] | None = None, **wish: Any) -> str:
        """Open a table; the address with the seats' tokens for whoever opened it."""
        made = self.post("/api/tables", {"seats": seats or HOT_SEAT, **wish})
        tokens = "&".join(f"seat={seat['token']}" for seat in made["seats"] if seat["token"])
        return f"{self.base}/t/{made['id']}#{tokens}"


def custom(page: Page, server: Server, against: str = "Same device", side: int | None = None) -> None:
    """Go to the form of a custom game, against whom, and how large a board."""
    page.goto(server.base)
    page.get_by_text("Custom game", exact=True).click()
    page.get_by_role("radiogroup", name="Opponent").get_by_text(against).click()
    if side is not None:
        page.locator("summary", has_text="Expert rules").click()
        field = page.get_by_role("spinbutton", name="Side")
        field.fill(str(side))
        field.press("Tab")


def ready(page: Page) -> None:
    """Wait until there is something to choose."""
    page.wait_for_selector(".cell[data-legal]", timeout=120_000)


def at_table(page: Page, address: str) -> None:
    """Open a table, and wait until there is something to choose."""
    page.goto(address)
    ready(page)


def settled(page: Page) -> None:
    """Wait until everything that was asked for is drawn and whatever moves has arrived."""
    page.evaluate(SETTLED)


def box(locator: Locator) -> FloatRect:
    """Return where on the screen something is."""
    found = locator.bounding_box()
    assert found is not None
    return found


def bottom(locator: Locator) -> float:
    """Return where something ends, from the top of the screen."""
    place = box(locator)
    return place["y"] + place["height"]


def come(page: Page, link: str) -> None:
    """Open the link of a seat for the first time, and close the invitation."""
    page.goto(link)
    page.locator("dialog[open] .head button").click()


def hold(page: Page, pick: str) -> None:
    """Take a piece into the hand."""
    button = page.locator(f'[data-pick="{pick}"]')
    if button.get_attribute("aria-pressed") != "true":
        button.click()


def play(page: Page, pick: str, cell: str) -> None:
    """Choose a piece and a cell, and wait until it stands there."""
    hold(page, pick)
    page.locator(f'[data-cell="{cell}"]').click()
    standing(page, cell, pick)


def standing(page: Page, cell: str, symbol: str) -> None:
    """Wait until ``symbol`` stands on ``cell``."""
    page.wait_for_selector(f'[data-cell="{cell}"][data-symbol="{symbol}"]')


def at_ply(page: Page, ply: int) -> None:
    """Wait until the position after ``ply`` moves is shown."""
    page.wait_for_selector(f'.middle[data-ply="{ply}"]')


def said(page: Page, words: str) -> None:
    """Wait until a screen reader was given ``words``: since the page was opened, or since what was waited for last.
    What is said next may come before this is asked."""
    page.wait_for_function(HEARD, arg=words, polling=50)
