"""The guided first game: one idea at a time, on the board, skippable, never twice; and what follows a game."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from .hands import axe
from .seats import ME, Meet, Seat, engine
from .table import Server, at_ply, at_table, choose, play, ready, resign, said, standing

pytestmark = [pytest.mark.browser]

FOUR = "sanqi/5 5/6/7/8/3BBB3/3B4/7/6/5 F -"  # of a triangle of six
WON = "sanqi/5 5/6/7/3RR3/3R1R3/3R4/7/6/5 F -"


def begin(page: Page, server: Server, game: str = "SanQi", sight: str = ".cell[data-legal]") -> None:
    page.goto(server.base)
    page.get_by_role("article", name=game).locator(".button.main").click()
    page.wait_for_url("**/t/**")
    ready(page)
    page.wait_for_selector(sight)


def opened(page: Page, server: Server, *others: Seat, **wish: Any) -> None:
    at_table(page, server.table([ME, *others], **wish))


def test_a_first_game_shows_one_idea_at_a_time_and_none_twice(page: Page, server: Server) -> None:
    """A table left without a move uses up no idea. After a reload the guide still says which cells were lost: it asks
    with all the moves."""
    for _ in range(2):
        begin(page, server, sight='.guide[data-idea="start"]')
    said(page, "Place a piece.")
    assert page.locator(".stage .edge.hint").count() == 0
    assert page.get_by_role("button", name="Pivots").count() == 0, "what was not explained is not offered"
    play(page, "Re5")
    page.wait_for_selector('.guide[data-idea="circle"]')
    assert page.locator(".stage .edge.hint").count() >= 1, "it points at cells"
    said(page, "You win with a circle.")
    assert axe(page, "guide") == []
    at_ply(page, 2)
    with page.expect_request("**/api/first-game") as asked:
        page.reload()
    moves = (asked.value.post_data_json or {})["moves"]
    assert (len(moves), moves[0]) == (2, "Re5"), "the newcomer's turn and the answer"
    ready(page)
    assert page.locator('.guide[data-idea="start"], .guide[data-idea="circle"]').count() == 0


def test_a_first_game_is_put_away_for_good(page: Page, server: Server) -> None:
    begin(page, server)
    page.get_by_role("button", name="Skip").click()
    page.wait_for_selector(".guide", state="detached")
    page.get_by_role("button", name="Pivots").wait_for()
    begin(page, server)
    page.get_by_role("button", name="Pivots").wait_for()
    assert page.locator(".guide").count() == 0


def test_tips_ask_before_a_turn_that_loses_without_the_guide(page: Page, server: Server) -> None:
    """Who skipped the guide placed the fifth of a triangle without a word, and lost in four turns."""
    opened(page, server, engine(1), position=FOUR)
    page.get_by_role("button", name="Any tips?").wait_for()
    choose(page, "Bf4")
    page.locator(".confirm .grave", has_text="Careful: Pip could then complete the triangle on f3").wait_for()
    assert page.locator(".confirm .button.main").inner_text() == "Cancel"
    page.get_by_role("button", name="Play anyway").click()
    standing(page, "f4", "B")


def test_after_a_loss_an_easier_opponent_is_offered(meet: Meet, server: Server) -> None:
    """After a loss, only the same opponent was offered."""
    for width, height in ((1280, 800), (390, 844)):
        page = meet(viewport={"width": width, "height": height})
        opened(page, server, engine(3), position=WON)
        play(page, "Re1")
        resign(page)
        page.get_by_role("button", name="Rematch").wait_for()
        page.get_by_role("button", name="Easier: Dot").click()
        page.locator(".player", has_text="computer, level 2").wait_for()


def test_after_a_win_the_next_level_is_offered(page: Page, server: Server) -> None:
    """Those who had won three times found no stronger opponent."""
    opened(page, server, engine(2), position=WON)
    play(page, "Rf4")
    page.locator(".result").get_by_role("button", name="Next: Fern, 91 cells").click()
    page.locator(".player", has_text="computer, level 3").wait_for()
    page.locator(".stage .cell").nth(90).wait_for()
    assert page.locator(".stage .cell").count() == 91, "the board of the next opponent"
