"""People without a browser, and lines that break: what the tests of online play need besides pages."""

import contextlib
import http.cookiejar
import json
import random
import re
import threading
import urllib.request
from typing import Any

from playwright.sync_api import Locator, Page, WebSocketRoute
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from .seats import FRIEND, PASSWORD
from .table import Server, ask, come


class Line:
    """What connects a page with the server; it can be cut. ``set_offline`` alone leaves open sockets alone."""

    def __init__(self, page: Page) -> None:
        self.context = page.context
        self.is_cut = False
        self.open: list[tuple[WebSocketRoute, WebSocketRoute]] = []
        page.route_web_socket(re.compile(r"/live(\?|$)"), self._connect)

    def _connect(self, here: WebSocketRoute) -> None:
        if self.is_cut:
            here.close(code=1011)
        else:
            self.open.append((here, here.connect_to_server()))

    def cut(self) -> None:
        self.is_cut = True
        self.context.set_offline(True)
        for here, there in self.open:
            with contextlib.suppress(Exception):
                there.close()
                here.close(code=1011)
        self.open.clear()

    def mend(self) -> None:
        self.is_cut = False
        self.context.set_offline(False)


def submit(form: Page | Locator, button: str, fields: dict[str, str]) -> None:
    """Fill fields, by their labels, and press a button."""
    for label, text in fields.items():
        form.get_by_label(label).fill(text)
    form.get_by_role("button", name=button, exact=True).click()


def sign(page: Page, server: Server, handle: str, *, new: bool = False, password: str = PASSWORD) -> None:
    page.goto(server.base + "/account")
    if new:
        page.get_by_text("Create account").click()
    submit(page, "Sign up" if new else "Sign in", {"Username": handle, "Password": password})


def together(server: Server, *pages: Page, **wish: Any) -> list[str]:
    """Let people sit down at a table; the address of each seat."""
    links = server.links([FRIEND] * len(pages), **wish)
    for page, link in zip(pages, links, strict=True):
        come(page, link)
        page.wait_for_selector(".stage .cell")
    return links


class Guest:
    """Somebody who uses the server without a page; with a handle he has an account."""

    def __init__(self, server: Server, handle: str = "") -> None:
        self.server = server
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))
        if handle:
            self.post("/api/accounts", {"handle": handle, "password": PASSWORD, "name": handle.title()})

    def get(self, path: str) -> Any:
        return ask(self.server.base + path, opener=self.opener)

    def post(self, path: str, body: Any, method: str = "POST") -> Any:
        return ask(self.server.base + path, body, method, self.opener)

    @property
    def cookie(self) -> str:
        return "; ".join(f"{one.name}={one.value}" for one in self.jar)

    def live(self, path: str) -> Any:
        address = self.server.base.replace("http", "ws", 1) + path
        return connect(address, additional_headers={"Cookie": self.cookie}, max_size=None)

    def play_at(self, table: str, actions: int, seed: int = 0, stop: threading.Event | None = None) -> None:
        """Sit at ``table`` and play by chance; after ``actions`` of his own he resigns, or gets up when told to."""
        chance = random.Random(seed)
        with contextlib.suppress(ConnectionClosed), self.live(f"/api/tables/{table}/live") as socket:
            state = json.loads(socket.recv(30))["state"]
            sent = -1
            while not state["over"] and not (stop and stop.is_set()):
                if state["mover"] in state["yourSeats"] and state["number"] > sent:
                    sent = state["number"]
                    if actions:
                        actions -= 1
                        action = chance.choice(state["view"]["paths"])[0]
                        message = {"type": "act", "ply": state["ply"], "action": action}
                    else:
                        message = {"type": "resign", "seat": state["mover"]}
                    socket.send(json.dumps({"id": f"m{sent}-{seed}", **message}))
                try:
                    message = json.loads(socket.recv(1))
                except TimeoutError:
                    continue
                if message["type"] in ("event", "snapshot"):
                    state = message["state"]

    def play_tournament(self, tournament: str, seed: int, stop: threading.Event) -> None:
        """Play whatever game of the tournament is one's own, until told to stop."""
        last = None
        while not stop.wait(0.2):
            table = self.get(f"/api/tournaments/{tournament}")["yourTable"]
            if table and table != last:
                last = table
                self.play_at(table, 1 + seed % 2, seed, stop)
