"""Every choice that is refused says why, visibly, beside the board, with the numbers of the rule."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from .hands import picture
from .table import Server, at_ply, at_table, come, hold, play, ready, settled

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.motion]

# Red on d4 with one blue and one yellow beside it; and yellow on e4, played on the turn just before.
MIXED = "sanqi/4 4/5/6/3RY2/2B3/5/4 F e4"
THREE: list[dict[str, Any]] = [{"kind": "me"}, {"kind": "here"}, {"kind": "here"}]
HELD = "sparklies/board=3x2,ruleset=subtle r1*g1r1*/g1r1*g2 B v 1"


def refused(page: Page, cell: str) -> str:
    """Choose a cell that is refused; what is said, which stands in sight and is not covered."""
    page.locator(f'.stage [data-cell="{cell}"]').click(force=True)
    page.locator(".stage .refused").wait_for(state="attached")
    settled(page)
    box = page.locator(".prompt.why").bounding_box()
    view = page.viewport_size
    assert box is not None
    assert view is not None
    assert box["y"] + box["height"] <= view["height"]
    board = page.locator(".stage svg.board").bounding_box()
    assert board is not None
    assert box["y"] >= board["y"] + board["height"] - 1, "it does not cover the board"
    told = page.locator(".prompt.why").inner_text()
    assert told
    return told


def test_a_piece_that_cannot_be_replaced(page: Page, phone: Page, server: Server) -> None:
    for window in (page, phone):
        at_table(window, server.table(position=MIXED))
        told = refused(window, "d4")
        assert re.search(
            r"Neighbours of d4: 1 (Yellow|Blue), 0 Red\. Replacing Red by (Yellow|Blue) takes at least 2", told
        ), told
        hold(window, "B")
        assert "Neighbours of d4: 1 Blue, 0 Red. Replacing Red by Blue takes at least 2 Blue" in refused(window, "d4")
        picture(window, f"refused-{window.viewport_size['width'] if window.viewport_size else 0}")
        hold(window, "R")
        assert "Red is already on d4" in refused(window, "d4")
        assert "Ko: the piece on e4 was just played" in refused(window, "e4")


def test_men_and_cells_that_cannot_move(page: Page, server: Server) -> None:
    at_table(page, server.table(THREE, game="triplicity"))
    vacant = page.evaluate(
        "() => document.querySelector('.stage [data-cell]:not([data-symbol]):not([data-legal])').dataset.cell"
    )
    assert "is vacant. Choose one of your pieces." in refused(page, vacant)
    for king, owner in (("bK", "Black"), ("rK", "Red")):
        name = page.locator(f'.stage [data-symbol="{king}"]').first.get_attribute("data-cell") or ""
        assert f"is {owner}'s" in refused(page, name)
    blocked = page.evaluate(
        "() => [...document.querySelectorAll('.stage [data-symbol^=w]:not([data-legal])')].map(one => one.dataset.cell)"
    )
    assert blocked
    for name in blocked:
        assert refused(page, name) != ""


def test_cells_of_others(page: Page, server: Server) -> None:
    at_table(page, server.table(position=HELD))
    assert "White" in refused(page, "c1")


def test_when_it_is_not_ones_turn_and_when_it_is_over(meet: Callable[..., Page], server: Server) -> None:
    made = server.post(
        "/api/tables", {"game": "sanqi", "options": {"side": 4}, "seats": [{"kind": "friend"}, {"kind": "friend"}]}
    )
    one, two, other = meet(), meet(), meet()
    pages = (one, two)
    for page, seat in zip(pages, made["seats"], strict=True):
        come(page, f"{server.base}/t/{made['id']}#seat={seat['link'].rsplit('=', 1)[-1]}")
        page.wait_for_selector(".stage .cell")
    ready(one)
    assert "First" in refused(two, "d4")
    play(one, "R", "d4")
    at_ply(two, 1)
    assert "Second" in refused(one, "c3")
    other.goto(f"{server.base}/t/{made['id']}")
    other.wait_for_selector(".stage .cell")
    assert "watching" in refused(other, "c3")
    one.get_by_role("button", name="Previous move").click()
    at_ply(one, 0)
    assert "viewing turn" in refused(one, "c3")
    two.get_by_role("button", name="Resign").click()
    two.get_by_role("dialog").get_by_role("button", name="Resign").click()
    two.wait_for_selector(".result")
    assert "over" in refused(two, "c3")


def test_the_piece_moves_a_little_unless_no_motion_is_wanted(page: Page, night: Page, server: Server) -> None:
    for window, moves in ((page, True), (night, False)):
        at_table(window, server.table(position=MIXED))
        for _ in range(2):
            window.locator('.stage [data-cell="e4"]').click(force=True)
            window.wait_for_selector(".stage .body.shaken", state="attached")
            name = window.evaluate(
                "() => getComputedStyle(document.querySelector('.stage .body.shaken')).animationName"
            )
            assert ("shake" in name) == moves
