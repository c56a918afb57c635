"""A custom game: presets as cards, cells taken out on the board; and the designers' notation at the table."""

from typing import Any

import pytest
from playwright.sync_api import Page

from .hands import picture
from .table import Server, at_ply, at_table, custom

pytestmark = [pytest.mark.browser, pytest.mark.long]

DEAD = "JSON.parse(localStorage.getItem('tercet.lobby')).wishes.sparklies.options.dead"
TOP = "localStorage.setItem('tercet.settings', JSON.stringify({notation: {sparklies: 'original'}, confirm: 'never'}))"
FREE = "sparklies/board=3x3,ruleset=subtle b0b0g0/r0g0b0/r0g0b0 W c 0"


def chosen(page: Page, server: Server, game: str) -> None:
    """The form of a custom game of that title."""
    custom(page, server)
    page.get_by_role("radiogroup", name="Game").get_by_text(game).click()


def card(page: Page, title: str) -> Any:
    """The card of a preset."""
    return page.locator("button.card", has_text=title).first


def test_presets_are_cards_with_their_boards(page: Page, server: Server) -> None:
    chosen(page, server, "Sparklies")
    page.wait_for_selector("button.card svg")
    assert card(page, "Subtle").get_attribute("aria-pressed") == "true"
    card(page, "A hole in the middle").click()
    page.wait_for_function("() => document.querySelectorAll('.board-frame .cells use').length === 24")
    assert card(page, "A hole in the middle").get_attribute("aria-pressed") == "true"
    assert card(page, "Subtle").get_attribute("aria-pressed") == "false"
    picture(page, "presets")


def test_cards_keep_within_a_phones_screen(phone: Page, server: Server) -> None:
    chosen(phone, server, "Sparklies")
    phone.wait_for_selector("button.card svg")
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    card(phone, "For three").tap()
    assert card(phone, "For three").get_attribute("aria-pressed") == "true"
    picture(phone, "presets-phone")


def test_dead_cells_are_chosen_on_the_board_by_mouse_and_keys(page: Page, server: Server) -> None:
    chosen(page, server, "Sparklies")
    card(page, "A hole in the middle").click()
    board = page.locator(".board-frame")
    board.locator('[data-cell="a1"]').click()
    assert set(page.evaluate(DEAD).split(".")) == {"a1", "c3"}
    assert "removed" in (board.locator('[data-cell="a1"]').get_attribute("aria-label") or "")
    board.locator('[data-cell="c3"]').click()
    assert page.evaluate(DEAD) == "a1"
    board.locator('[data-cell="e5"]').focus()
    page.keyboard.press("Enter")
    assert set(page.evaluate(DEAD).split(".")) == {"a1", "e5"}
    picture(page, "dead-cells")
    board.get_by_role("button", name="Done").click()
    page.wait_for_function("() => document.querySelectorAll('.board-frame .cells use').length === 23")


def test_boards_and_arrays_are_chosen_by_their_picture(page: Page, server: Server) -> None:
    chosen(page, server, "Sparklies")
    page.get_by_role("group", name="Board").get_by_role("button", name="hexagon 3").click()
    page.wait_for_function("() => document.querySelectorAll('.board-frame .cells use').length === 19")
    page.get_by_role("radiogroup", name="Game").get_by_text("SanQi").click()
    page.get_by_role("group", name="Side").get_by_role("button", name="Side 5").click()
    page.wait_for_function("() => document.querySelectorAll('.board-frame .cells use').length === 61")
    # Triplicity's array was a field in which one typed "castle".
    chosen(page, server, "Triplicity")
    page.locator("button", has_text="kings between the rooks").click()
    wish = "JSON.parse(localStorage.getItem('tercet.lobby')).wishes.triplicity.options"
    page.wait_for_function(f"() => {wish}.array === 'castle'")


def test_expert_rules_are_said_in_words(page: Page, server: Server) -> None:
    chosen(page, server, "Sparklies")
    page.locator("summary", has_text="Expert rules").click()
    page.get_by_label("Pings of a cell").select_option("once")
    page.get_by_label("Handicap").select_option("White claims two cells first")
    wish = "JSON.parse(localStorage.getItem('tercet.lobby')).wishes.sparklies.options"
    assert page.evaluate(f"[{wish}.pings_per_turn, {wish}.handicap]") == [1, "white.2"]
    page.get_by_label("Pings of a cell").first.select_option("Other …")
    page.get_by_role("spinbutton", name="Pings of a cell").fill("3")
    page.keyboard.press("Tab")
    assert page.evaluate(f"{wish}.pings_per_turn") == 3
    page.get_by_label("Attack").select_option("two cells that take its colour and one that it takes")
    assert page.evaluate(f"{wish}.attack") == "2T+1P"


def test_dead_cells_are_chosen_by_touch(phone: Page, server: Server) -> None:
    chosen(phone, server, "Sparklies")
    phone.locator('.board-frame [data-cell="e5"]').wait_for()
    phone.locator('.board-frame [data-cell="e5"]').tap()
    assert phone.evaluate(DEAD) == "e5"


def test_the_designers_notation_on_the_board_and_in_the_list(page: Page, server: Server) -> None:
    page.add_init_script(TOP)
    at_table(page, server.table(position=FREE))
    labels = page.locator(".stage .labels text").evaluate_all("found => found.map(node => node.textContent)")
    assert set(labels) == {"A", "B", "C", "1", "2", "3"}
    page.locator('.stage [data-cell="a3"]').click()
    at_ply(page, 1)
    assert page.locator(".move").all_inner_texts() == ["A1"]
    page.locator('.stage [data-cell="a3"]').click()
    page.locator(".chooser").get_by_role("button", name="blue").click()
    at_ply(page, 2)
    assert page.locator(".move").all_inner_texts() == ["A1 B->B"], "the cell that is taken is told with its ping"
    assert page.locator("li.line .number").all_inner_texts() == ["1 (W)"]
    picture(page, "notation")
