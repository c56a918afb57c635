"""Key moments of a game: looked for in the background, tried on the board, shown only then, and on to the analysis."""

import pytest
from playwright.sync_api import Page

import tercet
from tercet.learning.puzzles import read, shipped

from .hands import axe, picture
from .table import Server, at_table, hold

pytestmark = [pytest.mark.browser, pytest.mark.page]  # an engine looks at positions for seconds

WIN = next(
    puzzle
    for path in shipped("sanqi")
    for puzzle in read(path)
    if puzzle["turns"] == 1 and puzzle["mover"] in puzzle["attackers"] and len(puzzle["right"]) == 1
)


def enter(page: Page, action: str) -> None:
    """Put a piece on a cell, as SanQi's notation says."""
    hold(page, action[0])
    page.locator(f'.stage [data-cell="{action.lstrip("RYB").lstrip("x")}"]').click()


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
    page.wait_for_selector('.middle[data-ply="1"]')
    page.get_by_role("button", name="Resign").click()
    page.locator("dialog[open]").get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Find your key moments").click()
    page.get_by_role("progressbar", name="Positions analysed").wait_for()
    page.get_by_role("link", name="1 key moment").click(timeout=60_000)  # an engine looks at the whole game
    shown(page, "going")
    assert (page.get_by_role("button", name="View the solution").count(), axe(page, "moment")) == (0, [])
    picture(page, "moment")
    enter(page, missed)
    shown(page, "played")
    page.get_by_role("button", name="Try again").click()
    shown(page, "going")
    enter(page, other)
    shown(page, "wrong")
    picture(page, "moment-wrong")
    page.get_by_role("button", name="View the solution").click()
    page.get_by_text("The engine's move and the expected continuation.").first.wait_for()
    usual = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_function(
        "() => (one => one.scrollHeight <= one.clientHeight)(document.querySelector('.below .controls'))"
    )  # nothing is cut off on a phone
    page.set_viewport_size(usual or {"width": 1280, "height": 800})
    page.get_by_role("button", name="Back", exact=True).click()
    enter(page, right)
    shown(page, "right")
    picture(page, "moment-right")
    page.get_by_role("link", name="Analyse from here").click()
    page.wait_for_selector('.middle[data-ply="0"]')


def test_a_game_without_any_says_so(page: Page, server: Server) -> None:
    at_table(page, server.table(position=WIN["position"]))
    page.get_by_role("button", name="Resign").click()
    page.locator("dialog[open]").get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Find your key moments").click()
    page.get_by_text("No turn cost 12 % or more").wait_for()
