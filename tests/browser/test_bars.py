"""What lies over a page: challenges and the notice of a lost connection hide nothing that a game needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from .conftest import PHONE
from .online import PASSWORD, Guest
from .table import Server, ready, settled

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.page]

HIDDEN = """bar => {
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    const lies = document.querySelector(bar).getBoundingClientRect();
    return [...document.querySelectorAll('.stage svg.board, .prompt, .pick.laid, .confirm button')]
        .filter(one => over(one.getBoundingClientRect(), lies)).map(one => one.className);
}"""
SIZES = [(390, 844), (390, 740), (360, 640)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_challenge_hides_neither_the_board_nor_the_picks(
    meet: Callable[..., Page], server: Server, size: tuple[int, int]
) -> None:
    """On a phone it lay over the colours that a ping can give."""
    name = f"paula{size[1]}"
    phone = meet(**{**PHONE, "viewport": {"width": size[0], "height": size[1]}})
    phone.request.post(f"{server.base}/api/accounts", data={"handle": name, "password": PASSWORD, "name": name})
    phone.goto(server.base)
    phone.get_by_role("button", name="Play Sparklies now").tap()
    phone.wait_for_url("**/t/**")
    ready(phone)
    phone.locator('.stage [data-cell="c3"]').tap()
    phone.wait_for_selector(".confirm[data-steps='1']")
    other = Guest(server, f"quirin{size[1]}")
    seats = [{"kind": "me"}, {"kind": "open"}]
    clock = {"kind": "fischer", "minutes": 15, "increment": 10}
    table = other.post("/api/tables", {"game": "sparklies", "seats": seats, "clock": clock, "rated": True})["id"]
    other.post("/api/challenges", {"handle": name, "table": table})
    phone.wait_for_selector(".challenge")
    settled(phone)
    assert phone.evaluate(HIDDEN, ".challenge") == []
    phone.locator(".challenge").get_by_role("button", name="Decline").tap()
    phone.wait_for_selector(".challenge", state="detached")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_notice_of_a_lost_connection_hides_no_picks_of_a_puzzle(
    phone: Page, server: Server, size: tuple[int, int]
) -> None:
    """It lay over the words below the board, and over the colours."""
    phone.set_viewport_size({"width": size[0], "height": size[1]})
    phone.goto(server.base + "/puzzles/sparklies")
    phone.locator(".stage .cell[data-legal]").first.tap()
    phone.context.set_offline(True)
    phone.wait_for_selector(".offline")
    settled(phone)
    assert phone.evaluate(HIDDEN, ".offline") == []
    phone.context.set_offline(False)
