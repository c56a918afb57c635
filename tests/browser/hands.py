"""Somebody who plays through the page, by mouse, touch or keys, and knows no rule: the server says what is legal."""

import contextlib
import json
import math
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import Page
from websockets.sync.client import connect

from .screen import settled
from .table import PATIENCE, ask, at_ply, come, hold, press

# An action, the steps that enter it, and what it does in words.
Path_ = list[Any]
Sit = Callable[..., "Hands"]
CENTRES = """() => Object.fromEntries([...document.querySelectorAll('.stage [data-cell]')].map(node => {
    const box = node.getBoundingClientRect();
    return [node.dataset.cell, [box.x + box.width / 2, box.y + box.height / 2]];
}))"""
ANSWERED = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
HERE = "() => document.activeElement?.dataset?.cell ?? null"


class Hands:
    """A person at a table of ``server``; ``how`` is ``mouse``, ``touch`` or ``keys``."""

    def __init__(self, page: Page, address: str, how: str = "mouse") -> None:
        parts = urlsplit(address)
        self.base = f"{parts.scheme}://{parts.netloc}"
        tokens = "&".join(f"{name}={token}" for name, token in parse_qsl(parts.fragment))
        live = f"ws://{parts.netloc}/api/tables/{parts.path.rsplit('/', 1)[-1]}/live?{tokens}"
        self.open = contextlib.ExitStack()
        self.begin(page, address, how, self.open.enter_context(connect(live, max_size=None)))

    def begin(self, page: Page, address: str, how: str, socket: Any) -> None:
        """Sit down, where ``socket`` tells what happens at the table."""
        self.page = page
        self.how = how
        self.steps = 0  # of a turn that is kept on the page until it is whole
        self.socket = socket
        first = json.loads(self.socket.recv(PATIENCE))
        self.table: dict[str, Any] = first["table"]
        self.state: dict[str, Any] = first["state"]
        self.events: list[dict[str, Any]] = []
        self.labels = {pick["id"]: pick["label"] for pick in self.table["picks"]}
        self.keys = {pick["id"]: pick["key"] for pick in self.table["picks"]}
        self.arrive(address)
        self.listen(-1)

    def arrive(self, address: str) -> None:
        self.page.goto(address)
        self.page.wait_for_selector(".stage .cell", timeout=PATIENCE * 1000)

    def close(self) -> None:
        self.open.close()

    @property
    def over(self) -> bool:
        return bool(self.state["over"])

    @property
    def mine(self) -> bool:
        return self.state["mover"] in self.state["yourSeats"]

    @property
    def paths(self) -> list[Path_]:
        return list(self.state["view"]["paths"])

    def listen(self, since: int) -> None:
        """Listen until something has happened after event ``since`` and it is ours again, and the page shows it."""
        while self.state["number"] <= since or not (self.over or self.mine):
            message = json.loads(self.socket.recv(PATIENCE))
            if message["type"] == "event":
                self.state = message["state"]
                self.events += message.get("events") or []
        self.caught_up()

    def caught_up(self) -> None:
        """Wait until the page shows the position that the server told of."""
        at_ply(self.page, self.state["ply"])
        if self.over:
            self.page.wait_for_selector(".result")
        elif any(not step.startswith("#") for _, steps, *_ in self.paths for step in steps[:1]):
            self.page.wait_for_selector(".cell[data-legal]")

    def play(self, action: str) -> None:
        """Play ``action`` through the page, and wait until it stands there and engines have answered."""
        steps = next(path[1] for path in self.paths if path[0] == action)
        number = self.state["number"]
        (self._by_keys if self.how == "keys" else self._by_pointer)(steps)
        if self.how == "touch" and self._staged(action):
            return
        self.listen(number + self.steps)
        self.steps = 0

    def _staged(self, action: str) -> bool:
        """Confirm ``action``, or wait until it is kept as a step of a turn that goes on: whether it is."""
        confirm = self.page.locator(".confirm")
        view = self.ahead(action)
        if view["outcome"] or view["scene"]["mover"] != self.state["mover"]:
            confirm.get_by_role("button", name="Play").tap()
            confirm.wait_for(state="detached")  # what a test relays is passed on only while it waits for a page
            return False
        self.steps += 1
        self.page.wait_for_selector(f'.confirm[data-steps="{self.steps}"]:not(.pending)')
        self.state["view"] = view
        return True

    def ahead(self, action: str) -> dict[str, Any]:
        body = {"position": self.state["view"]["position"], "moves": [action]}
        return dict(ask(self.base + "/api/position", body)["view"])

    def all_of(self, actions: list[str]) -> None:
        for action in actions:
            self.play(action)

    def _by_pointer(self, steps: list[str]) -> None:
        for step in steps:
            is_pick = step.startswith("#")
            if not (is_pick and self._holds(step[1:])):
                what = self._pick(step[1:]) if is_pick else self.page.locator(f'[data-cell="{step}"]')
                what.tap() if self.how == "touch" else what.click()
            self.page.evaluate(ANSWERED)

    def _by_keys(self, steps: list[str]) -> None:
        for step in steps:
            if not step.startswith("#"):
                self.walk_to(step)
                self.page.keyboard.press("Enter")
                self.page.evaluate(ANSWERED)
            elif not self._holds(step[1:]):
                self.page.keyboard.press({" ": "Space"}.get(self.keys[step[1:]], self.keys[step[1:]]))

    def _holds(self, pick: str) -> bool:
        """Whether the pick is in the hand from the turn before."""
        return self.page.locator(f'[data-pick="{pick}"][aria-pressed="true"]').count() > 0

    def _pick(self, pick: str) -> Any:
        """The button of a pick: in the chooser that has opened, else in the hand."""
        if self.page.locator(".chooser").count():
            label = self.labels[pick]
            return self.page.locator(f'.chooser button[aria-label^="{label}"]').first
        return self.page.locator(f'[data-pick="{pick}"]')

    def walk_to(self, cell: str) -> None:
        """Tab to the board if need be, and arrows from cell to cell."""
        keyboard = self.page.keyboard
        for _ in range(60):
            if self.page.evaluate(HERE):
                break
            keyboard.press("Tab")
        places = self.page.evaluate(CENTRES)
        goal = places[cell]
        near = min(math.dist(place, goal) for name, place in places.items() if name != cell)
        sideways = False
        trail: list[str] = []
        for _ in range(120):
            here = self.page.evaluate(HERE)
            if here == cell:
                return
            trail.append(here)
            x, y = places[here]
            level = abs(goal[1] - y) < near / 3
            towards = "ArrowDown" if goal[1] > y else "ArrowUp"
            if level or sideways:
                keyboard.press("ArrowRight" if sideways or goal[0] > x else "ArrowLeft")
                there = self.page.evaluate(HERE)
                if there != here and sideways and abs(places[there][1] - y) > near / 3:
                    sideways = False
                    keyboard.press(towards)  # up or down once, or the walk goes back to the row it began in
                if there != here:
                    continue
            keyboard.press(towards)
            now = places[self.page.evaluate(HERE)]
            # on hexagons the arrows keep to a column, which every other row has: the rows between begin at a row's end
            sideways = sideways or ((now[1] - goal[1]) * (y - goal[1]) < 0 and abs(now[1] - goal[1]) > near / 3)
        raise AssertionError(f"the arrow keys did not lead to {cell}: {trail}")


class Company(Hands):
    """Several people at one table, each at a page of his own: ``pages`` and ``hows`` by seat. It is moved through the
    page of whoever's turn it is, and all pages must show it."""

    def __init__(self, pages: list[Page], links: list[str], hows: list[str]) -> None:
        self.pages, self.links, self.hows = pages, links, hows
        address, _, _ = links[0].partition("#")
        super().__init__(pages[0], address + "#" + "&".join(link.partition("#")[2] for link in links), hows[0])

    def arrive(self, address: str) -> None:  # noqa: ARG002  (everybody has a link of his own)
        for page, link in zip(self.pages, self.links, strict=True):
            come(page, link)
        for page in self.pages:
            page.wait_for_selector(".stage .cell", timeout=PATIENCE * 1000)

    def caught_up(self) -> None:
        """Wait until all pages show the position, and the one whose turn it is can go on."""
        for page in self.pages:
            at_ply(page, self.state["ply"])
            if self.over:
                page.wait_for_selector(".result")
        if not self.over:
            self.page, self.how = self.pages[self.state["mover"]], self.hows[self.state["mover"]]
            super().caught_up()


def enter(page: Page, paths: list[Path_], action: str, picks: Sequence[dict[str, str]] = ()) -> None:
    """Enter an action through the board, as its path says; ``picks`` names those of a popup."""
    for step in next(path[1] for path in paths if path[0] == action):
        if not step.startswith("#"):
            press(page, step)
        elif page.locator(f'[data-pick="{step[1:]}"]').count():
            hold(page, step[1:])
        else:
            label = next(pick["label"] for pick in picks if f"#{pick['id']}" == step)
            page.locator(f'.chooser button[aria-label^="{label}"]').first.click()


def keen(paths: list[Path_]) -> list[Path_]:
    """Kings before other men, captures before moves, moves before purchases: so that a game comes to its end."""
    for words in ("'s king", " takes ", " to "):
        found = [path for path in paths if words in path[2]]
        if found:
            return found
    return paths


def axe(page: Page, name: str) -> list[str]:
    """What is seriously wrong with a page for those who cannot see or point."""
    from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

    settled(page)
    found = Axe().run(page).response["violations"]
    return [
        f"{name}: {one['id']}: {one['help']}: {one['nodes'][0]['html'][:120]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]
