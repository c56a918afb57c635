"""Key moments of a game: looked for in the background, tried on the board, shown only then, and on to the analysis."""

import pytest
from playwright.sync_api import Page

import tercet

from .hands import axe
from .screen import resize
from .table import Server, at_ply, at_table, hold, press, resign
from .test_puzzles import first

pytestmark = [pytest.mark.browser, pytest.mark.page]  # an engine looks at positions for seconds

WIN = first("sanqi", lambda one: one["turns"] == 1 and one["mover"] in one["attackers"] and len(one["right"]) == 1)


def enter(page: Page, action: str) -> None:
    """Put a piece on a cell, as SanQi's notation says."""
    hold(page, action[0])
    press(page, action.lstrip("RYB").lstrip("x"))


def shown(page: Page, state: str) -> None:
    """Wait until the try is in that state."""
    page.wait_for_selector(f'.middle[data-moment="0"][data-state="{state}"]')


@pytest.mark.long  # on a busy machine an engine that has 0.3 s misses the win too
def test_a_missed_win_is_found_and_tried_again(page: Page, server: Server) -> None:
    position = tercet.parse(WIN["position"])
    (right,) = WIN["right"]
    quiet = [str(action) for action in position.legal_actions if str(action) != right]
    missed, other = quiet[0], quiet[-1]
    at_table(page, server.table(position=WIN["position"]))
    enter(page, missed)
    at_ply(page, 1)
    resign(page)
    page.get_by_role("button", name="Find your key moments").click()
    page.get_by_role("progressbar", name="Positions analysed").wait_for()
    page.get_by_role("link", name="1 key moment").click(timeout=60_000)  # an engine looks at the whole game
    shown(page, "going")
    assert (page.get_by_role("button", name="View the solution").count(), axe(page, "moment")) == (0, [])
    enter(page, missed)
    shown(page, "played")
    page.get_by_role("button", name="Try again").click()
    shown(page, "going")
    enter(page, other)
    shown(page, "wrong")
    page.get_by_role("button", name="View the solution").click()
    page.get_by_text("The engine's move and the expected continuation.").first.wait_for()
    resize(page, (390, 844))
    whole = "() => (one => one.scrollHeight <= one.clientHeight)(document.querySelector('.below .controls'))"
    page.wait_for_function(whole)  # nothing is cut off on a phone
    resize(page, (1280, 800))
    page.get_by_role("button", name="Back", exact=True).click()
    enter(page, right)
    shown(page, "right")
    page.get_by_role("link", name="Analyse from here").click()
    at_ply(page, 0)


def test_a_game_without_any_says_so(page: Page, server: Server) -> None:
    at_table(page, server.table(position=WIN["position"]))
    resign(page)
    page.get_by_role("button", name="Find your key moments").click()
    page.get_by_text("No turn cost 12 % or more").wait_for()
