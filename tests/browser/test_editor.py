"""The board editor: positions set up with mouse, finger and keys, refused where they are wrong, and played on from."""

from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from .seats import Meet
from .states import CHAIN, MIDDLE
from .table import Server, keys, ready, standing

pytestmark = [pytest.mark.browser, pytest.mark.page]

SMALL = "sanqi/4 4/5/6/3R3/6/5/4 S d4"


def at_editor(page: Page, server: Server, position: str) -> None:
    page.goto(f"{server.base}/editor?position={quote(position)}")
    written(page, position)


def written(page: Page, position: str) -> None:
    expect(page.get_by_label("Position as text")).to_have_value(position)


def pick(page: Page, label: str) -> None:
    page.locator(".palette label", has=page.get_by_role("radio", name=label, exact=True)).click()


def cell(page: Page, name: str) -> None:
    page.locator(f'[data-cell="{name}"]').click()


def test_a_position_is_set_up_with_the_mouse_and_played(page: Page, server: Server) -> None:
    """Pieces, the eraser, a drag, the fields, undo; then a game against the computer from there."""
    at_editor(page, server, SMALL)
    pick(page, "Yellow")
    cell(page, "d1")
    written(page, "sanqi/4 4/5/6/3R3/6/5/Y3 S d4")
    page.locator('[data-cell="d1"]').drag_to(page.locator('[data-cell="e1"]'))
    written(page, "sanqi/4 4/5/6/3R3/6/5/1Y2 S d4")
    cell(page, "c3")
    page.locator('[data-cell="e1"]').click(button="right")
    written(page, "sanqi/4 4/5/6/3R3/1Y4/5/4 S d4")
    pick(page, "vacant")
    cell(page, "d4")
    refused = page.get_by_text("The ko must be the cell of the turn just before, but d4 is vacant.")
    refused.wait_for()
    assert page.locator(".one", has=refused).get_by_text("Ko", exact=True).count() == 1
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_disabled()
    page.get_by_label("Ko").select_option("c3")
    written(page, "sanqi/4 4/5/6/7/1Y4/5/4 S c3")
    page.get_by_text("First", exact=True).click()
    written(page, "sanqi/4 4/5/6/7/1Y4/5/4 F c3")
    page.get_by_role("button", name="Undo").click()
    written(page, "sanqi/4 4/5/6/7/1Y4/5/4 S c3")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/t/*")
    ready(page)
    standing(page, "c3", "Y")


def test_a_position_is_set_up_with_keys(page: Page, server: Server) -> None:
    at_editor(page, server, SMALL)
    page.get_by_role("radio", name="Red").focus()
    page.keyboard.press("ArrowRight")
    assert page.get_by_role("radio", name="Yellow").is_checked()
    page.locator('[data-cell="e4"]').focus()
    page.keyboard.press("Enter")
    written(page, "sanqi/4 4/5/6/3RY2/6/5/4 S d4")
    assert page.locator("#aloud").inner_text() == "e4: Yellow"
    assert (page.locator('[data-cell="e4"]').get_attribute("aria-label") or "").startswith("e4: Yellow")
    page.keyboard.press("Delete")
    written(page, SMALL)
    keys(page, "ArrowLeft", "Shift+Enter")
    page.get_by_text("d4 is vacant").wait_for()


def test_cells_with_several_contents_on_a_phone(phone: Page, server: Server) -> None:
    """A colour, an owner and a state are chosen one by one; what is wrong with a cell is marked there."""
    at_editor(phone, server, CHAIN)
    phone.locator(".palette label", has_text="free").tap()
    phone.locator('[data-cell="c3"]').tap()
    phone.get_by_text("White has no active cell to resolve.").wait_for()
    phone.locator(".palette label", has=phone.get_by_role("radio", name="active", exact=True)).tap()
    phone.locator('[data-cell="c3"]').tap()
    phone.get_by_text("An active cell must have an owner: cell c3.").wait_for()
    assert "An active cell must have an owner" in (phone.locator('[data-cell="c3"]').get_attribute("aria-label") or "")
    phone.locator(".palette label", has_text="White").tap()
    phone.locator('[data-cell="c3"]').tap()
    written(phone, CHAIN)
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_text_options_and_ways_on(page: Page, server: Server) -> None:
    at_editor(page, server, MIDDLE)
    text = page.get_by_label("Position as text")
    text.fill("sanqi/4 nonsense")
    text.blur()
    page.get_by_text("A position must have four fields").wait_for()
    text.fill(SMALL)
    text.blur()
    page.locator('[data-cell="d4"][data-symbol="R"]').wait_for()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()  # it is another board
    page.get_by_text("Rules of this game").click()
    page.locator("details").get_by_text("a loss for that player").click()
    written(page, SMALL.replace("sanqi/4", "sanqi/4,stalemate=loss"))  # what was set up stays where the board does
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Clear board").click()
    page.get_by_text("d4 is vacant").wait_for()
    page.get_by_label("Ko").select_option("-")
    page.get_by_text("Legal position").wait_for()
    page.reload()
    page.get_by_text("Legal position").wait_for()
    assert " 4/5/6/7/6/5/4 " in text.input_value()
    page.get_by_role("button", name="Analyse").click()
    page.locator(".stage .cell").first.wait_for()
    page.get_by_role("button", name="More").click()
    page.get_by_role("link", name="Board editor").click()
    page.locator(".palette").wait_for()
    page.get_by_role("link", name="Triplicity").click()
    page.get_by_role("radio", name="Red king").wait_for(state="attached")


@pytest.mark.parametrize(
    ("locale", "piece", "why"),
    [("de-DE", "Bauer von Rot", "Der Bauer von Rot auf j8 wäre schon"), ("zh-CN", "红方的兵", "红方在 j8 的兵")],
)
def test_the_editor_speaks_the_language(meet: Meet, server: Server, locale: str, piece: str, why: str) -> None:
    page = meet(locale=locale)
    page.goto(f"{server.base}/editor?game=triplicity")
    page.locator(".palette label", has=page.get_by_role("radio", name=piece)).click()
    cell(page, "j8")
    page.locator(".fault", has_text=why).wait_for()
    told = page.locator("main").inner_text()
    for english in ("Red", "To move", "coins", "active", "vacant"):
        assert english not in told, english
