"""Conditional moves: a player plans on the board what to answer, and it is played while their page is closed."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .conftest import PHONE
from .hands import axe
from .screen import settled
from .seats import FRIEND, ME, SMALL, Meet
from .table import Server, at_ply, choose, come, menu, play, ready, standing

pytestmark = [pytest.mark.browser, pytest.mark.page]


def begin(server: Server, ann: Page, bob: Page) -> None:
    """Let two people begin a game: the first move is Ann's, who confirms it on a phone."""
    mine, theirs = server.links([ME, FRIEND], **SMALL)
    come(ann, mine)
    ready(ann)
    choose(ann, "Rd4")
    ann.keyboard.press("Enter")
    standing(ann, "d4", "R")
    come(bob, theirs)
    at_ply(bob, 1)


def open_plan(page: Page) -> None:
    menu(page, "Conditional moves")
    page.wait_for_selector("[data-plan]")
    ready(page)


@pytest.mark.parametrize("how", [PHONE, {}], ids=["phone", "desktop"])
def test_a_reply_is_planned_on_the_board_and_played_at_once(meet: Meet, server: Server, how: dict[str, Any]) -> None:
    ann, bob = meet(**how), meet()
    begin(server, ann, bob)
    open_plan(ann)
    assert axe(ann, "plan") == []
    play(ann, "Yd5", "Rd6")
    expect(ann.get_by_role("listitem").filter(has_text="Yd5 Rd6")).to_be_visible()
    ann.get_by_role("button", name="First move").click()
    play(ann, "Yc4", "Rc5")
    ann.get_by_role("listitem").filter(has_text="Yc4 Rc5").get_by_role("button", name="To any move").click()
    expect(ann.get_by_role("listitem").filter(has_text="any move: Rc5")).to_be_visible()
    settled(ann)
    ann.get_by_role("button", name="Save").click()
    expect(ann.get_by_role("button", name="2 conditional moves")).to_be_visible()
    assert bob.get_by_role("button", name="conditional").count() == 0
    ann.reload()
    expect(ann.get_by_role("button", name="2 conditional moves")).to_be_visible()
    ann.get_by_role("button", name="2 conditional moves").click()
    ready(ann)
    expect(ann.get_by_role("listitem").filter(has_text="Yd5 Rd6")).to_be_visible()
    expect(ann.get_by_role("listitem").filter(has_text="any move: Rc5")).to_be_visible()
    ann.goto(server.base)
    play(bob, "Yd5", ply=3)
    standing(bob, "d6", "R")


def test_the_game_goes_on_while_a_player_plans(meet: Meet, server: Server) -> None:
    ann, bob = meet(), meet()
    begin(server, ann, bob)
    open_plan(ann)
    play(ann, "Yd5")
    play(bob, "Yc4")
    at_ply(ann, 2)
    expect(ann.locator(".toast")).to_have_text("The game has moved on. Check the position and try again.")
    standing(ann, "c4", "Y")
