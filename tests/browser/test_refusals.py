"""Every choice that is refused says why, visibly, beside the board, with the numbers of the rule."""

import re

import pytest
from playwright.sync_api import Page

from .online import together
from .screen import bottom, box, settled
from .seats import SMALL, Meet, seats
from .table import Server, at_ply, at_table, cell, hold, play, ready, resign

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.motion]

# Red on d4 with one blue and one yellow beside it; and yellow on e4, played on the turn just before.
MIXED = "sanqi/4 4/5/6/3RY2/2B3/5/4 F e4"
HELD = "sparklies/board=3x2,ruleset=subtle r1*g1r1*/g1r1*g2 B v 1"


def refused(page: Page, name: str) -> str:
    """Choose a cell that is refused; what is said, which stands in sight and is not covered."""
    cell(page, name).click(force=True)
    page.locator(".stage .refused").wait_for(state="attached")
    settled(page)
    prompt = page.locator(".prompt.why")
    assert bottom(prompt) <= page.evaluate("innerHeight")
    assert box(prompt)["y"] >= bottom(page.locator(".stage svg.board")) - 1, "it does not cover the board"
    told = prompt.inner_text()
    assert told
    return told


def test_a_piece_that_cannot_be_replaced(page: Page, phone: Page, server: Server) -> None:
    for window in (page, phone):
        at_table(window, server.table(position=MIXED))
        told = refused(window, "d4")
        assert re.search(
            r"Neighbours of d4: 1 (Yellow|Blue), 0 Red\. Replacing Red with (Yellow|Blue) takes at least 2", told
        ), told
        hold(window, "B")
        assert "Neighbours of d4: 1 Blue, 0 Red. Replacing Red with Blue takes at least 2 Blue" in refused(window, "d4")
        hold(window, "R")
        assert "Red is already on d4" in refused(window, "d4")
        assert "Ko: the piece on e4 was just played" in refused(window, "e4")


def test_men_and_cells_that_cannot_move(page: Page, server: Server) -> None:
    at_table(page, server.table(seats(3), game="triplicity"))
    vacant = page.locator(".stage [data-cell]:not([data-symbol], [data-legal])").first.get_attribute("data-cell") or ""
    assert "is vacant. Choose one of your pieces." in refused(page, vacant)
    for king, owner in (("bK", "Black"), ("rK", "Red")):
        name = page.locator(f'.stage [data-symbol="{king}"]').first.get_attribute("data-cell") or ""
        assert f"is {owner}'s" in refused(page, name)
    blocked = page.locator(".stage [data-symbol^=w]:not([data-legal])")
    assert blocked.count()
    for name in blocked.evaluate_all("all => all.map(one => one.dataset.cell)"):
        assert refused(page, name) != ""


def test_cells_of_others(page: Page, server: Server) -> None:
    at_table(page, server.table(position=HELD))
    assert "White" in refused(page, "c1")


def test_when_it_is_not_ones_turn_and_when_it_is_over(meet: Meet, server: Server) -> None:
    one, two, other = meet(), meet(), meet()
    link, _ = together(server, one, two, **SMALL)
    ready(one)
    assert refused(two, "d4") == "Waiting for Friend."
    play(one, "Rd4")
    at_ply(two, 1)
    assert refused(one, "c3") == "Waiting for Friend."
    other.goto(link.partition("#")[0])
    other.wait_for_selector(".stage .cell")
    assert "watching" in refused(other, "c3")
    one.get_by_role("button", name="Previous move").click()
    at_ply(one, 0)
    assert "viewing turn" in refused(one, "c3")
    resign(two)
    two.wait_for_selector(".result")
    assert "over" in refused(two, "c3")


def test_the_piece_moves_a_little_unless_no_motion_is_wanted(page: Page, night: Page, server: Server) -> None:
    for window, moves in ((page, True), (night, False)):
        at_table(window, server.table(position=MIXED))
        for _ in range(2):
            window.locator('.stage [data-cell="e4"]').click(force=True)
            window.wait_for_selector(".stage .body.shaken", state="attached")
            name = "() => getComputedStyle(document.querySelector('.stage .body.shaken')).animationName"
            assert ("shake" in window.evaluate(name)) == moves
