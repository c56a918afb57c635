"""What a visitor may have before him: each state of the page by name, with how one gets there."""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Page

from .screen import visit
from .seats import FRIEND, HERE, ME, Seat, engine, seats
from .table import Server, custom, ready, resign

State = Callable[["Page", Server], None]
CELL = '.stage [data-cell="{}"]'.format
SIZES = ((360, 640), (390, 844), (768, 1024), (1280, 800), (1920, 1080))

MIDDLE = "sanqi/5 5/2B3/2YB3/1Y1RRB2/2YR1R1B1/2YR1B2/3YB2/6/5 F -"
CHAIN = "sparklies/board=5x5,ruleset=subtle r1g1g0g0r0/g1g1g2b0b0/r1r1b2*b1b1/r1r2g2r2r0/g0g0g2r2g2 W v 1"
JEOPARDY = "triplicity 11/rK11/13/12/11/1rR3wR4/9/5bK2/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -"
NEAR_THE_END = "triplicity 11/rK11/3rR7bK1/12/4rP6/7bP1bR/9/8/3wR3/6/5/2wQ1/1wK1 W 4,3,2 a,a,a 0 -"
DEBT = "triplicity 11/rK11/3rN7bK1/12/4rP4bP1/5wR4/9/5bN2/7/6/5/2wQ1/1wK1 W 3,2,0 a,a,a 0 -"
FIVE = "sparklies/board=5x5,ruleset=subtle r0r0r0r0g0/b0b0g0r0r0/g0g0b0r0r0/g0b0b0b0r0/b0g0r0r0g0 B c 0"
NINE = (
    "sparklies/board=9x9,ruleset=subtle r0r0r0r0g0b0b0g0r0/r0g0g0b0r0r0g0b0b0/b0r0b0g0r0r0g0g0g0/r0g0g0g0r0b0b0g0g0/"
    "b0g0r0b0b0r0r0r0g0/r0g0g0b0b0g0r0g0g0/r0g0b0g0b0r0r0b0b0/g0b0b0r0g0g0b0g0r0/r0r0g0r0g0r0b0b0r0 B c 0"
)


def at(path: str, wait: str = "main") -> State:
    return lambda page, server: visit(page, server.base + path, wait)


def sit_down(page: Page, server: Server, chairs: list[Seat], **wish: Any) -> None:
    """Go to a table that this browser has opened: it keeps its own seats, and the links for those of others."""
    made = server.post("/api/tables", {"seats": chairs, **wish})
    tokens = [seat["token"] for seat in made["seats"] if seat["token"]]
    links = [{"seat": seat["seat"], "link": seat["link"]} for seat in made["seats"] if seat["link"]]
    page.add_init_script(
        f"localStorage.setItem('tercet.seats.{made['id']}', {json.dumps(json.dumps(tokens))});"
        f"sessionStorage.setItem('tercet.links.{made['id']}', {json.dumps(json.dumps(links))});"
    )
    page.goto(f"{server.base}/t/{made['id']}")


def table(count: int, other: Seat = HERE, **wish: Any) -> State:
    return then(lambda page, server: sit_down(page, server, seats(count, other), **wish), ready)


def then(before: State, *more: Callable[[Page], None]) -> State:
    def go(page: Page, server: Server) -> None:
        before(page, server)
        for act in more:
            act(page)

    return go


def press(selector: str) -> Callable[[Page], None]:
    """Choose something, allowed or not."""
    return lambda page: page.locator(selector).first.click(force=True)


def over(page: Page) -> None:
    resign(page)
    page.locator(".result, .out h2").first.wait_for()


def refused(page: Page) -> None:
    """Wait for the reason, which comes from the server."""
    page.wait_for_function("() => /[^.]/.test(document.querySelector('.prompt.why')?.textContent ?? '')")
    page.wait_for_function("() => !document.querySelector('.prompt.why').textContent.includes('cannot be chosen now')")


def chosen(page: Page) -> None:
    """Wait until a choice is to be confirmed, or has been played."""
    page.wait_for_selector(".confirm, .prompt.must")


def boards(page: Page) -> None:
    """Wait until all games' boards are drawn: they come one by one."""
    page.wait_for_function("() => document.querySelectorAll('.cards .card:has(.board .tile)').length > 2")


def _custom(page: Page, server: Server) -> None:
    custom(page, server, "The computer")
    boards(page)
    page.wait_for_selector(".board-frame .tile")


def _waiting(kind: str) -> State:
    """A table where somebody is still to come."""

    def go(page: Page, server: Server) -> None:
        sit_down(page, server, [ME, {"kind": kind}], game="sanqi", options={"side": 5}, chat=True)
        page.wait_for_selector(".stage .cell")

    return go


def _invitation(page: Page, server: Server) -> None:
    chairs = [{"kind": "me", "name": "Dot"}, FRIEND]
    visit(page, server.links(chairs, game="sanqi", options={"side": 5}, chat=True)[1], "dialog[open] svg")


def _talking(page: Page) -> None:
    page.get_by_role("button", name="Chat").click()
    page.get_by_role("complementary", name="Chat").wait_for()


def _invited(page: Page) -> None:
    page.get_by_role("button", name="QR code").click()
    page.wait_for_selector("svg.qr path")


STATES: dict[str, State] = {
    "home": then(at("/", ".cards .board .tile"), boards),
    "custom": _custom,
    "sanqi": table(2, engine(), game="sanqi", options={"side": 5}),
    "sanqi-large": table(2, game="sanqi"),
    "sanqi-middle": table(2, position=MIDDLE),
    "sanqi-held": then(table(2, position=MIDDLE), press('[data-pick="R"]')),
    "sanqi-popup": then(table(2, position=MIDDLE), press(CELL("e5"))),
    "sanqi-refused": then(table(2, position=MIDDLE), press(CELL("e6")), refused),
    "sanqi-over": then(table(2, engine(), game="sanqi", options={"side": 5}), over),
    "sanqi-clock": table(2, game="sanqi", options={"side": 6}, clock={"kind": "fischer", "minutes": 5, "increment": 3}),
    "sanqi-open": _waiting("open"),
    "sanqi-friend": _waiting("friend"),
    "sanqi-invited": _invitation,
    "sanqi-code": then(_waiting("open"), _invited),
    "sanqi-talk": then(_waiting("friend"), _talking),
    "sparklies": table(2, engine(), position=FIVE),
    "sparklies-large": table(2, position=NINE),
    "sparklies-chain": table(2, position=CHAIN),
    "sparklies-over": then(table(2, engine(), position=FIVE), over),
    "triplicity": table(3, engine(), game="triplicity"),
    "triplicity-refused": then(table(3, game="triplicity"), press('.stage [data-symbol="bK"]'), refused),
    "triplicity-jeopardy": table(3, position=JEOPARDY),
    "triplicity-debt": then(table(3, position=DEBT), press(CELL("f8")), press(CELL("f6")), chosen),
    "triplicity-out": then(table(3, engine(), game="triplicity"), over),
    "table-menu": then(table(2, position=MIDDLE), lambda page: page.get_by_role("button", name="More").click()),
    "table-rules": then(
        table(2, position=MIDDLE), lambda page: page.locator(".actions").get_by_role("button", name="Rules").click()
    ),
    "settings": then(at("/"), lambda page: page.get_by_role("button", name="Settings").click()),
    "rules": at("/rules/sanqi", "figure .board"),
    "analysis": at(f"/analysis?position={quote(MIDDLE)}", ".stage .cell"),
    "analysis-three": at(f"/analysis?position={quote(JEOPARDY)}", ".stage .cell"),
    "editor": at(f"/editor?position={quote(MIDDLE)}", ".middle .cell"),
    "editor-three": at(f"/editor?position={quote(JEOPARDY)}", ".middle .cell"),
    "editor-layers": at(f"/editor?position={quote(CHAIN)}", ".middle .cell"),
    "learn": at("/learn", "main h1"),
    "lesson": at("/learn/sanqi/placing", ".stage .cell"),
    "puzzle": at("/puzzles/sanqi/sanqi-8a232bf599", ".stage .cell"),
    "account": at("/account", "main form"),
    "players": then(at("/players", "main h1"), lambda page: page.get_by_text("No one has a rating").wait_for()),
    "tournaments": at("/tournaments", "main h1"),
    "about": at("/about", "main h1"),
    "console": at("/console", "main h1"),
}
