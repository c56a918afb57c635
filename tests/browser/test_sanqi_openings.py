"""SanQi's openings on the page: whose choice it is, a book's position, and a side that has no book."""

from typing import Any

import pytest
from playwright.sync_api import Page

from .hands import Hands, Sit
from .screen import box
from .seats import ME, engine
from .table import Server, custom, ready, standing

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.thorough]

SWAP = {"side": 6, "opening": "swap", "setup": 3}
SWAP2 = {"side": 6, "opening": "swap2", "setup": 3}
SET_UP = ["Rg6", "Rf8", "Bd7"]
CHOOSES = "chooses First (a circle) or Second (a line of six)"
CIRCLE, LINE = "a circle or a triangle of one kind wins", "a line of six or a triangle of one kind wins"
NO_BOOK = "There is no book of openings for side 7. Choose side 6, 8 or 10, or another opening."


def asks(page: Page, words: str) -> None:
    page.locator(".prompt", has_text=words).wait_for()


def beside(page: Page, player: str) -> str:
    return page.locator(f'.players [data-side="{player}"]').inner_text()


def shows(page: Page, *choices: str) -> None:
    """Assert that the choices besides a piece are to be read, and no wider than the screen."""
    for words in choices:
        button = page.locator(".picks").get_by_role("button", name=words)
        assert words in " ".join(button.inner_text().split())
        assert box(button.locator(".name"))["width"] > 30, "the words are there, not only read aloud"
        assert 0 <= box(button)["x"] <= page.evaluate("innerWidth") - box(button)["width"]


def played(sit: Sit, page: Page, server: Server, how: str, options: dict[str, Any]) -> Hands:
    """Set up three pieces at a table for two people at one device."""
    hands: Hands = sit(page, server.table(game="sanqi", options=options, seed=3), how)
    asks(page, "Setter: place piece 1 of 3. Then the Chooser chooses a side.")
    assert CHOOSES in beside(page, "Chooser")
    assert "plays the side that is left" in beside(page, "Setter")
    hands.all_of(SET_UP)
    return hands


@pytest.mark.parametrize("how", [pytest.param("mouse", marks=pytest.mark.long), "touch"])
def test_swap2_says_each_time_whose_choice_it_is(how: str, page: Page, phone: Page, server: Server, sit: Sit) -> None:
    here = page if how == "mouse" else phone
    hands = played(sit, here, server, how, SWAP2)
    asks(here, "Chooser: place a piece to play Second, take First, or add two pieces and let the Setter choose.")
    shows(here, "Take First", "Add two pieces")
    hands.play("add")
    asks(here, "Chooser: add piece 1 of 2. Then the Setter chooses a side.")
    hands.all_of(["Ye4", "Bh6"])
    assert CHOOSES in beside(here, "Setter")
    asks(here, "Setter: choose a side. Place a piece to play Second, or take First.")
    shows(here, "Take First")
    before = box(here.locator(".stage .board").first)
    hands.play("swap")
    asks(here, "Chooser as Second: place a piece.")
    assert CIRCLE in beside(here, "Setter")
    assert LINE in beside(here, "Chooser")
    assert box(here.locator(".stage .board").first) == before, "the board stays where it is"
    hands.play("Yg4")
    asks(here, "Setter as First: place a piece.")


@pytest.mark.parametrize(("how", "choice", "side"), [("mouse", "swap", "Second"), ("keys", "Yg4", "First")])
def test_swap_leaves_the_other_side(page: Page, server: Server, sit: Sit, how: str, choice: str, side: str) -> None:
    hands = played(sit, page, server, how, SWAP)
    asks(page, "Chooser: choose a side. Place a piece to play Second, or take First.")
    shows(page, "Take First")
    hands.play(choice)
    asks(page, f"Setter as {side}: place a piece.")
    assert (LINE if side == "Second" else CIRCLE) in beside(page, "Setter")
    assert (CIRCLE if side == "Second" else LINE) in beside(page, "Chooser")


def test_an_engine_sets_up_and_asks_for_the_choice(phone: Page, server: Server, sit: Sit) -> None:
    hands = sit(phone, server.table([engine(2), ME], game="sanqi", options=SWAP, seed=3), "touch")
    asks(phone, "Your turn: choose a side. Place a piece to play Second, or take First.")
    assert phone.locator(".stage [data-symbol]").count() == 3
    hands.play("swap")
    assert CIRCLE in beside(phone, "Chooser")


def test_an_engine_chooses_a_side(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table([ME, engine(2)], game="sanqi", options=SWAP2, seed=3))
    hands.all_of(SET_UP)
    asks(page, "Your turn")
    words = page.locator(".prompt").inner_text()
    assert "Setter as First" in words or "Setter as Second" in words
    assert (CIRCLE if "First" in words else LINE) in beside(page, "Setter")


def test_a_game_from_the_book_begins_with_seconds_move(phone: Page, server: Server, sit: Sit) -> None:
    hands = sit(phone, server.table(game="sanqi", options={"side": 6, "opening": "book"}, seed=3), "touch")
    asks(phone, "Second: place a piece.")
    assert phone.locator(".stage [data-symbol]").count() >= 3
    free = next(action for action, *_ in hands.paths if "x" not in action)
    hands.play(free)
    standing(phone, free[1:], free[0])
    asks(phone, "First: place a piece.")


@pytest.mark.parametrize("how", ["mouse", "touch"])
def test_a_side_without_a_book_begins_from_the_empty_board(how: str, page: Page, phone: Page, server: Server) -> None:
    here = page if how == "mouse" else phone
    custom(here, server, game="SanQi")
    card = here.locator("button.card", has_text="Balanced, side 8")
    card.click()
    here.locator(".board-frame .pieces .body").first.wait_for(state="attached")
    here.locator("summary", has_text="Expert rules").click()
    opening = here.get_by_label("Opening")

    def choose(side: str) -> None:
        here.get_by_role("spinbutton", name="Side").fill(side)
        here.keyboard.press("Tab")

    choose("7")
    words = here.get_by_role("status").filter(has_text=NO_BOOK)
    words.wait_for()
    assert words.inner_text() == f"Opening is now “the empty board, First to move”. {NO_BOOK}"
    assert opening.input_value() == "free"
    assert card.get_attribute("aria-pressed") == "false"
    choose("8")  # the wish was not forgotten
    words.wait_for(state="detached")
    assert opening.input_value() == "book"
    assert card.get_attribute("aria-pressed") == "true"
    choose("7")
    words.wait_for()
    here.get_by_role("button", name="Play", exact=True).click()
    ready(here)
    assert here.locator(".stage [data-symbol]").count() == 0


def test_an_opening_that_the_side_does_not_have_is_refused_where_it_is_chosen(page: Page, server: Server) -> None:
    custom(page, server, side=7)
    page.get_by_label("Opening").select_option("book")
    page.locator(".help.fault", has_text=NO_BOOK).wait_for()
    assert page.get_by_role("button", name="Play", exact=True).is_disabled()
