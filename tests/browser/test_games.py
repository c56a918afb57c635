"""Whole games in a real browser."""

import contextlib
from pathlib import Path

import pytest
from playwright.sync_api import Page

from tests.support.present import present

from .screen import Motion, Pointer, box, centre, fits, visit
from .seats import FIRST_TO_WIN, ME, SMALL, Meet, engine, seats
from .table import Server, at_ply, at_table, cell, hold, keys, menu, play, press, ready, result, said, standing, tap

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.motion]


def test_how_games_end(page: Page, server: Server) -> None:
    at_table(page, server.table(position=FIRST_TO_WIN))
    play(page, "Re3")
    assert (result(page), page.locator(".stage .edge.win").count()) == ("First wins with a circle.", 1)
    assert page.locator(".stage .last").count() == 0, "the outline of the last move was a line inside the circle"
    assert page.locator(".stage .last-dot").count() == 1
    buttons = page.locator(".result .row .button").evaluate_all("all => all.map(one => one.offsetTop)")
    assert len(set(buttons)) == 1, "a box within the box left them no room for one line"
    assert page.locator(".cell[data-legal]").count() == 0
    said(page, "First wins with a circle.")
    # A line wins for Second, a pattern wins a turn later too, and a full board is a draw.
    at_table(page, server.table(position="sanqi/4 4/5/6/1BBBBB1/6/5/4 S -"))
    play(page, "Bg4")
    assert result(page) == "Second wins with a line of six."
    at_table(page, server.table(position=FIRST_TO_WIN.replace(" F ", " S ")))
    play(page, "Re3")
    assert page.locator(".result").count() == 0
    play(page, "Ba4")
    assert result(page) == "First wins with a circle."
    at_table(page, server.table(position="sanqi/4 1BBR/RBBRR/BYYBRY/BYYYBYY/YRRBRR/RRBRR/YYBR F -"))
    play(page, "Ra7")
    assert result(page) == "Draw: no legal move is left."


def test_against_the_engine_with_takeback_and_reload(page: Page, server: Server) -> None:
    at_table(page, server.table([ME, engine(1)], **SMALL))
    play(page, "Rd4", ply=2)
    ready(page)
    page.get_by_role("button", name="Takeback").click()
    at_ply(page, 0)
    play(page, "Bc3", ply=2)
    ready(page)
    moves = page.locator(".move").all_inner_texts()
    page.reload()
    ready(page)
    assert page.locator(".move").all_inner_texts() == moves
    standing(page, "c3", "B")
    free = present(page.locator(".cell[data-legal]:not([data-symbol])").first.get_attribute("data-cell"))
    play(page, f"Y{free}")
    page.wait_for_function("() => document.querySelectorAll('.move').length >= 4")


def test_the_cell_first_and_then_the_piece(page: Page, server: Server) -> None:
    at_table(page, server.table(**SMALL))
    press(page, "d4")
    page.locator(".chooser").get_by_role("button", name="Yellow").click()
    standing(page, "d4", "Y")
    hold(page, "R")
    cell(page, "e4").click(button="right")
    page.get_by_role("dialog", name="Choose for e4").get_by_role("button", name="Blue").click()
    standing(page, "e4", "B")
    assert page.locator("[data-shape]").count() == 0, "nothing is drawn"


def test_ko_and_replacement_show(page: Page, server: Server) -> None:
    at_table(page, server.table(position="sanqi/4 4/5/2RR2/3B3/3R2/5/4 F -"))
    d4, marks = page.locator('[data-cell="d4"][data-legal]'), page.locator(".stage .over .legal")
    assert d4.count() == 1
    assert marks.count() == 0, "a piece is replaced by what is chosen first"
    hold(page, "R")
    page.wait_for_selector(".stage .over .legal.around")
    assert (d4.count(), marks.count()) == (1, 1)
    width = "mark => parseFloat(getComputedStyle(mark).strokeWidth)"
    around = marks.evaluate(width)
    press(page, "d4")
    standing(page, "d4", "R")
    assert page.locator(".stage .over .last").evaluate(width) > around, "the last move is the loudest mark"
    assert page.locator(".stage .last").count() == 1
    assert page.locator(".stage .blocked").count() == 0, "nothing could replace it: ko forbids nothing"
    hold(page, "B")
    assert d4.count() == 0
    at_table(page, server.table(position="sanqi/4 4/2RR1/5B/1R5/1B4/R4/4 S -"))
    play(page, "Bd5")
    page.wait_for_selector(".stage .blocked")
    assert "ko" in present(page.locator('[data-cell="d5"]').get_attribute("aria-label"))


def test_cells_for_buying_are_marked_once_one_buys_and_a_man_is_dragged(page: Page, server: Server) -> None:
    at_table(page, server.table(seats(3), game="triplicity"))
    assert page.locator('[data-cell="g13"][data-legal]').count() == 1
    assert page.locator(".stage .over .legal.place").count() == 0
    page.locator('[data-pick="N@"]').click()
    page.wait_for_selector(".stage .over .legal.place")
    page.locator('[data-pick="N@"]').click()
    page.mouse.move(*centre(cell(page, "c5")))
    page.mouse.down()
    page.mouse.move(*centre(cell(page, "d7")), steps=4)
    page.mouse.up()
    at_ply(page, 1)
    assert page.locator('[data-cell="d7"][data-symbol]').count() == 1
    assert page.locator('[data-cell="c5"][data-symbol]').count() == 0


def test_looking_back_asks_for_that_position_alone(page: Page, server: Server) -> None:
    at_table(page, server.table(**SMALL))
    play(page, "Rd4", "Yc3", "Be5")
    page.locator(".prompt").click()
    keys(page, "ArrowLeft", ply=2)
    page.wait_for_selector('[data-cell="e5"]:not([data-symbol])')
    assert page.locator(".cell[data-legal]").count() == 0
    keys(page, "Home", ply=0)
    page.wait_for_function("() => document.querySelectorAll('[data-symbol]').length === 0")
    keys(page, "ArrowRight", ply=1)
    keys(page, "End", ply=3)
    standing(page, "e5", "B")
    ready(page)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(f"{request.method} {request.url.removeprefix(server.base)}"))
    page.reload()
    ready(page)
    keys(page, ",", ply=2)
    page.wait_for_selector('[data-cell="e5"]:not([data-symbol])')
    assert page.locator('[data-cell="c3"]').get_attribute("data-symbol") == "Y"
    assert page.locator(".last").count() == 1, "where the move was made"
    page.keyboard.press("Home")
    page.wait_for_selector('[data-cell="d4"]:not([data-symbol])')
    assert [one.partition("?")[0].rpartition("/")[2] for one in asked if "/at/" in one] == ["2", "0"]
    again = [one for one in asked if one.startswith("POST") or "/record" in one]
    assert again == [], "the record and the moves are not sent around"
    page.locator(".move").first.click()
    at_ply(page, 1)
    standing(page, "d4", "R")
    page.wait_for_function("() => document.querySelectorAll('[data-symbol]').length === 1")
    menu(page, "New game from this position")
    first = page.url
    page.get_by_role("dialog").get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url(lambda url: url != first)
    at_ply(page, 1)
    standing(page, "d4", "R")


def test_keyboard_only(page: Page, server: Server) -> None:
    visit(page, server.base, ".board .tile")

    focused = """([words, tag]) => {
        const one = document.activeElement;
        return one.tagName === tag && (one.closest("label") ?? one).textContent.includes(words);
    }"""

    def tab_to(words: str, tag: str) -> None:
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate(focused, [words, tag]):
                return
        raise AssertionError(f"{words} cannot be reached by Tab")

    tab_to("Custom game", "SUMMARY")
    page.keyboard.press("Enter")
    page.wait_for_selector(".board-frame .tile")
    tab_to("The computer", "INPUT")
    for _ in range(5):
        if page.get_by_role("radio", name="Same device").is_checked():
            break
        page.keyboard.press("ArrowDown")
    assert page.get_by_role("radio", name="Same device").is_checked()
    tab_to("Play", "BUTTON")
    page.keyboard.press("Enter")
    ready(page)
    page.keyboard.press("r")
    assert page.locator('[data-pick="R"]').get_attribute("aria-pressed") == "true"
    for _ in range(30):
        if page.evaluate("document.activeElement.hasAttribute('data-cell')"):
            break
        page.keyboard.press("Tab")
    here = page.evaluate("document.activeElement.dataset.cell")
    page.keyboard.press("Enter")
    standing(page, here, "R")
    said(page, "Red on")
    page.keyboard.press("ArrowRight")
    there = page.evaluate("document.activeElement.dataset.cell")
    assert there != here
    keys(page, "ArrowUp", "ArrowDown")
    assert page.evaluate("document.activeElement.dataset.cell") == there
    page.keyboard.press("Escape")
    assert page.locator('[data-pick="R"]').get_attribute("aria-pressed") == "false"
    page.keyboard.press("Enter")
    page.wait_for_selector(".chooser")
    page.keyboard.press("Escape")
    page.wait_for_selector(".chooser", state="detached")
    assert page.evaluate("document.activeElement.dataset.cell") == there
    keys(page, "Enter", "b")
    standing(page, there, "B")
    page.keyboard.press("/")
    said(page, "legal cells:")
    keys(page, ",", ply=1)
    keys(page, ".", ply=2)


def test_on_a_phone(phone: Page, server: Server) -> None:
    at_table(phone, server.table(game="sanqi", options={"side": 5}))
    assert fits(phone)
    assert box(phone.locator(".actions"))["y"] < 844
    phone.locator('[data-pick="R"]').tap()
    tap(phone, "e5")
    phone.locator(".confirm").get_by_role("button", name="Cancel").tap()
    assert phone.locator("[data-symbol]").count() == 0
    tap(phone, "d5")
    phone.locator(".confirm").get_by_role("button", name="Play").tap()
    standing(phone, "d5", "R")
    tap(phone, "d6", "d6")
    standing(phone, "d6", "R")
    with Pointer(phone, "finger").on(centre(cell(phone, "d4"))):  # a longer touch asks for the piece
        phone.wait_for_selector(".chooser")
    phone.locator(".chooser").get_by_role("button", name="Blue").tap()
    phone.locator(".confirm").get_by_role("button", name="Play").tap()
    standing(phone, "d4", "B")
    before = box(cell(phone, "e5"))
    phone.get_by_role("button", name="Zoom in").tap()
    assert box(cell(phone, "e5"))["width"] > before["width"] * 1.2


def test_two_fingers_bring_the_board_closer_whatever_the_page_could_do(meet: Meet, server: Server) -> None:
    page = meet(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    at_table(page, server.table(game="sanqi", options={"side": 10}))
    before = box(cell(page, "j10"))
    Pointer(page, "finger").pinch(centre(page.locator(".stage .board")))
    assert box(cell(page, "j10"))["width"] > before["width"] * 2
    assert page.evaluate("[scrollY, visualViewport.scale]") == [0, 1]
    assert page.locator("[data-symbol]").count() == 0


def test_a_move_made_while_the_server_is_away_is_played_later(page: Page, server: Server, tmp_path: Path) -> None:
    own = Server(tmp_path)
    at_table(page, own.table(**SMALL))
    play(page, "Rd4")
    hold(page, "B")
    own.stop(kill=True)
    page.locator(".banner", has_text="Connection lost.").wait_for()
    press(page, "d5")
    page.locator(".banner", has_text="Your move is saved").wait_for()
    with contextlib.closing(Server(tmp_path, own.port)):
        standing(page, "d5", "B")
        at_ply(page, 2)
        page.locator(".banner", has_text="Connection lost.").wait_for(state="detached")
        play(page, "Yc4", ply=3)


TURNED = """() => {
    const heightOf = cell => document.querySelector(`[data-cell="${cell}"]`).getBoundingClientRect().y;
    return heightOf('a1') > heightOf('l11') ? 'White' : 'not White';
}"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_shared_board_turns_to_the_mover_and_can_be_held(page: Page, server: Server, motion: Motion) -> None:
    """It jumped before the move was seen, and only a setting that named no shared screen held it."""
    page.emulate_media(reduced_motion=motion)
    at_table(page, server.table(seats(3), game="triplicity"))
    assert page.evaluate(TURNED) == "White"
    page.evaluate("""() => new MutationObserver(() => (window.swung ||= !!document.querySelector('.stage .turning')))
        .observe(document.querySelector('.stage'), { subtree: true, attributes: true, attributeFilter: ['class'] })""")
    press(page, "e5", "f7")
    page.wait_for_function(f"() => ({TURNED})() === 'not White'")
    page.wait_for_selector(".stage .turning", state="detached")
    assert bool(page.evaluate("() => window.swung")) == (motion != "reduce")
    menu(page, "Don't turn the board after each move")
    page.wait_for_function(f"() => ({TURNED})() === 'White'")
