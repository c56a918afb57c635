"""Conditional moves: a player plans on the board what to answer, and it is played while their page is closed."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .conftest import PHONE
from .hands import axe, picture
from .table import Server, at_ply, come, hold, play, ready, settled, standing

pytestmark = [pytest.mark.browser, pytest.mark.page]

TITLE = "Conditional moves"


def two(server: Server) -> tuple[str, str]:
    """A game of two people: the addresses of its seats."""
    opened = server.post(
        "/api/tables", {"game": "sanqi", "options": {"side": 4}, "seats": [{"kind": "me"}, {"kind": "friend"}]}
    )
    mine = f"{server.base}/t/{opened['id']}#seat={opened['seats'][0]['token']}"
    return mine, server.base + opened["seats"][1]["link"]


def put(page: Page, pick: str, cell: str) -> None:
    """Play on the board where the game does not change."""
    hold(page, pick)
    page.locator(f'[data-cell="{cell}"]').click()
    standing(page, cell, pick)


def begin(page: Page) -> None:
    """Play the first move; on a phone it is confirmed."""
    ready(page)
    hold(page, "R")
    page.locator('[data-cell="d4"]').click()
    page.keyboard.press("Enter")
    standing(page, "d4", "R")


def open_plan(page: Page) -> None:
    page.get_by_role("button", name="More", exact=True).click()
    page.locator("dialog[open]").get_by_role("button", name=TITLE).click()
    page.wait_for_selector("[data-plan]")
    ready(page)


@pytest.mark.parametrize("how", [PHONE, {}], ids=["phone", "desktop"])
def test_a_reply_is_planned_on_the_board_and_played_at_once(
    meet: Callable[..., Page], server: Server, how: dict[str, object]
) -> None:
    mine, theirs = two(server)
    ann, bob = meet(**how), meet()
    come(ann, mine)
    begin(ann)
    come(bob, theirs)
    at_ply(bob, 1)
    open_plan(ann)
    assert axe(ann, "plan") == []
    for pick, cell in (("Y", "d5"), ("R", "d6")):
        put(ann, pick, cell)
    expect(ann.get_by_role("listitem").filter(has_text="Yd5 Rd6")).to_be_visible()
    ann.get_by_role("button", name="First move").click()
    for pick, cell in (("Y", "c4"), ("R", "c5")):
        put(ann, pick, cell)
    ann.get_by_role("listitem").filter(has_text="Yc4 Rc5").get_by_role("button", name="To any move").click()
    expect(ann.get_by_role("listitem").filter(has_text="any move: Rc5")).to_be_visible()
    settled(ann)
    picture(ann, "conditional")
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
    ready(bob)
    play(bob, "Y", "d5")
    at_ply(bob, 3)
    standing(bob, "d6", "R")


def test_the_game_goes_on_while_a_player_plans(meet: Callable[..., Page], server: Server) -> None:
    mine, theirs = two(server)
    ann, bob = meet(), meet()
    come(ann, mine)
    begin(ann)
    come(bob, theirs)
    open_plan(ann)
    put(ann, "Y", "d5")
    ready(bob)
    play(bob, "Y", "c4")
    at_ply(ann, 2)
    expect(ann.locator(".toast")).to_have_text("The game has moved on. Check the position and try again.")
    standing(ann, "c4", "Y")
