"""A custom game: presets as cards, cells taken out on the board; and the designers' notation at the table."""

import pytest
from playwright.sync_api import Locator, Page

from .screen import fits
from .table import Server, at_ply, at_table, custom, press

pytestmark = [pytest.mark.browser, pytest.mark.long]

WISHES = "JSON.parse(localStorage.getItem('tercet.lobby')).wishes"
DEAD = f"{WISHES}.sparklies.options.dead"
TOP = "localStorage.setItem('tercet.settings', JSON.stringify({notation: {sparklies: 'original'}, confirm: 'never'}))"


def cells(page: Page, count: int) -> None:
    page.wait_for_function(f"() => document.querySelectorAll('.board-frame .cells use').length === {count}")


def card(page: Page, title: str) -> Locator:
    return page.locator("button.card", has_text=title).first


def test_presets_are_cards_and_dead_cells_are_chosen_on_the_board(page: Page, server: Server) -> None:
    custom(page, server, game="Sparklies")
    page.wait_for_selector("button.card svg")
    assert card(page, "Subtle").get_attribute("aria-pressed") == "true"
    card(page, "A hole in the middle").click()
    cells(page, 24)
    assert card(page, "A hole in the middle").get_attribute("aria-pressed") == "true"
    assert card(page, "Subtle").get_attribute("aria-pressed") == "false"
    # Dead cells are chosen on the board.
    board = page.locator(".board-frame")
    a1, c3, e5 = (board.locator(f'[data-cell="{name}"]') for name in ("a1", "c3", "e5"))
    a1.click()
    assert set(page.evaluate(DEAD).split(".")) == {"a1", "c3"}
    assert "removed" in (a1.get_attribute("aria-label") or "")
    c3.click()
    assert page.evaluate(DEAD) == "a1"
    e5.focus()
    page.keyboard.press("Enter")
    assert set(page.evaluate(DEAD).split(".")) == {"a1", "e5"}
    board.get_by_role("button", name="Done").click()
    cells(page, 23)


def test_cards_keep_within_a_phones_screen_and_cells_are_touched(phone: Page, server: Server) -> None:
    custom(phone, server, game="Sparklies")
    phone.wait_for_selector("button.card svg")
    assert fits(phone)
    phone.locator('.board-frame [data-cell="e5"]').tap()
    assert phone.evaluate(DEAD) == "e5", "a dead cell is chosen by touch"
    card(phone, "For three").tap()
    assert card(phone, "For three").get_attribute("aria-pressed") == "true"


def test_boards_and_arrays_are_chosen_by_their_picture(page: Page, server: Server) -> None:
    custom(page, server, game="Sparklies")
    page.get_by_role("group", name="Board").get_by_role("button", name="hexagon 3").click()
    cells(page, 19)
    page.get_by_role("radiogroup", name="Game").get_by_text("SanQi").click()
    page.get_by_role("group", name="Side").get_by_role("button", name="Side 5").click()
    cells(page, 61)
    # Triplicity's array was a field in which one typed "castle".
    custom(page, server, game="Triplicity")
    page.locator("button", has_text="kings between the rooks").click()
    page.wait_for_function(f"() => {WISHES}.triplicity.options.array === 'castle'")


def test_expert_rules_are_said_in_words(page: Page, server: Server) -> None:
    custom(page, server, game="Sparklies")
    page.locator("summary", has_text="Expert rules").click()
    page.get_by_label("Pings of a cell").select_option("once")
    page.get_by_label("Handicap").select_option("White claims two cells first")
    wish = f"{WISHES}.sparklies.options"
    assert page.evaluate(f"[{wish}.pings_per_turn, {wish}.handicap]") == [1, "white.2"]
    page.get_by_label("Pings of a cell").first.select_option("Other …")
    page.get_by_role("spinbutton", name="Pings of a cell").fill("3")
    page.keyboard.press("Tab")
    assert page.evaluate(f"{wish}.pings_per_turn") == 3
    page.get_by_label("Attack").select_option("two cells that take its colour and one that it takes")
    assert page.evaluate(f"{wish}.attack") == "2T+1P"


def test_the_designers_notation_on_the_board_and_in_the_list(page: Page, server: Server) -> None:
    page.add_init_script(TOP)
    at_table(page, server.table(position="sparklies/board=3x3,ruleset=subtle b0b0g0/r0g0b0/r0g0b0 W c 0"))
    labels = page.locator(".stage .labels text").evaluate_all("found => found.map(node => node.textContent)")
    assert set(labels) == {"A", "B", "C", "1", "2", "3"}
    press(page, "a3")
    at_ply(page, 1)
    assert page.locator(".move").all_inner_texts() == ["A1"]
    press(page, "a3")
    page.locator(".chooser").get_by_role("button", name="blue").click()
    at_ply(page, 2)
    assert page.locator(".move").all_inner_texts() == ["A1 B->B"], "the cell that is taken is told with its ping"
    assert page.locator("li.line .number").all_inner_texts() == ["1 (W)"]
