"""What the page offers besides moves: looking ahead, whole turns, motions, clocks; and why a choice is refused."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from .online import together
from .screen import Pointer, bottom, box, centre, settled, visit
from .seats import FRIEND, ME, SMALL, Meet, seats
from .states import DEBT, JEOPARDY
from .table import Server, at_ply, at_table, cell, come, custom, hold, menu, play, press, ready, resign, said

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.motion]

HARLEQUIN = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
AREA = "sparklies/board=3x2,ruleset=subtle r1*g1r1*/g1r1*g1 B v 1"
CONFIRM_ALWAYS = "localStorage.setItem('tercet.settings', JSON.stringify({confirm: 'always'}))"


def moves(page: Page) -> list[str]:
    return page.locator(".move").all_inner_texts()


def turn_over(page: Page) -> None:
    page.wait_for_function("() => document.querySelectorAll('.move').length > 1")


def test_a_choice_and_a_cascade_show_what_they_would_do(page: Page, server: Server) -> None:
    at_table(page, server.table(position=HARLEQUIN))
    press(page, "b3")
    page.locator(".chooser").get_by_role("button", name="red").hover()
    page.wait_for_selector(".stage .preview")
    assert page.locator(".stage .preview .halo").count() == 2
    assert re.search("b3 turns from|b3 stays red", page.locator(".prompt").inner_text())
    assert moves(page) == []
    page.mouse.move(2, 2)
    page.wait_for_selector(".stage .preview", state="detached")
    page.keyboard.press("Escape")
    page.locator("[data-explore=danger]").click()
    page.wait_for_function("() => document.querySelector('.explore p')?.textContent.startsWith('At risk')")
    page.locator("[data-explore=cascade]").click()
    page.wait_for_selector(".explore li button")
    page.locator(".explore li button").first.click()
    page.wait_for_selector(".confirm")
    page.locator(".confirm").get_by_role("button", name="Back", exact=True).click()
    assert moves(page) == []
    page.locator(".explore li button").first.click()
    page.locator(".confirm").get_by_role("button", name=re.compile("Play this|these")).click()
    page.wait_for_function("() => document.querySelectorAll('.move').length > 0")


@pytest.mark.parametrize("asked_by", ["setting", "table"])
def test_a_turn_is_staged_undone_and_confirmed_as_a_whole(page: Page, server: Server, asked_by: str) -> None:
    if asked_by == "setting":
        page.add_init_script(CONFIRM_ALWAYS)
    at_table(page, server.table(position=HARLEQUIN, confirm=asked_by == "table"))
    confirm = page.locator(".confirm")
    for steps, name, colour in ((1, "b3", "red"), (2, "c3", "green")):
        press(page, name)
        page.locator(".chooser").get_by_role("button", name=colour).click()
        page.wait_for_selector(f'.confirm[data-steps="{steps}"]:not(.pending)')
    assert moves(page) == [], "nothing is sent before it is confirmed"
    assert confirm.get_by_role("button", name="Play").count() == 0, "half a turn is not offered to be sent"
    confirm.get_by_role("button", name="Undo").click()
    page.wait_for_selector(".confirm[data-steps='1']")
    page.locator("[data-gesture=deactivate]").click()  # which is not asked about
    turn_over(page)
    assert confirm.count() == 0


def test_the_quadrille_by_the_other_button_and_keys_and_all_deactivated_by_a_key(page: Page, server: Server) -> None:
    at_table(page, server.table(position=HARLEQUIN))
    assert page.locator(".stage .spot").count() == 1
    cell(page, "c2").click(button="right")
    at_ply(page, 1)
    assert moves(page) == ["b3=R"]
    at_table(page, server.table(position=AREA))
    cell(page, "a1").focus()
    page.keyboard.press("Shift+Enter")
    turn_over(page)
    visit(page, server.table(position=AREA), "[data-gesture=deactivate]")
    page.locator("[data-gesture=deactivate]").hover()
    page.wait_for_selector(".stage .preview")
    page.keyboard.press("d")
    turn_over(page)
    page.wait_for_selector("[data-gesture=deactivate]", state="detached")


def test_the_quadrille_by_a_long_press_is_staged(phone: Page, server: Server) -> None:
    at_table(phone, server.table(position=AREA))
    with Pointer(phone, "finger").on(centre(cell(phone, "b1"))):
        phone.wait_for_selector(".confirm:not(.pending)")
    assert moves(phone) == []
    phone.locator("[data-gesture=deactivate]").tap()
    turn_over(phone)


def test_threats_reach_and_jeopardy_are_shown_and_explained(page: Page, server: Server) -> None:
    at_table(page, server.table(seats(3), position=JEOPARDY))
    assert "Last king attacked by Red" in page.locator(".prompt.must").inner_text()
    assert page.locator('.players [data-side="White"] .alert').get_attribute("title")
    page.locator("[data-explore=threats]").click()
    page.wait_for_selector(".stage .edge.danger")
    expect(cell(page, "b8")).to_have_attribute("aria-label", re.compile("could be taken by"))
    page.locator("[data-explore=reach]").click()
    assert page.locator(".cell[data-legal]").count() == 0, "cells are asked about, not played on"
    press(page, "b8")
    page.wait_for_selector(".stage .edge.hint")
    page.keyboard.press("Escape")
    ready(page)
    assert page.locator(".stage .edge.hint").count() == 0
    press(page, "f8")
    cell(page, "f6").click(force=True)
    expect(page.locator(".prompt.why")).to_contain_text("Red can take yours")
    said(page, "Red can take yours")
    # In analysis too, and an engine shows the way through the triangle.
    at_table(page, f"{server.base}/analysis?position={quote(JEOPARDY)}")
    page.locator("[data-explore=threats]").click()
    page.wait_for_selector(".stage .edge.danger")
    page.get_by_role("button", name="Engine").click()
    page.locator(".engine .lines .step").first.click()
    at_ply(page, 1)
    page.wait_for_selector(".eval polyline", state="attached")


def test_tribute_flies_and_what_is_refused_moves_if_motion_is_wanted(page: Page, night: Page, server: Server) -> None:
    for window, flies in ((page, True), (night, None)):
        at_table(window, server.table(seats(3), position=DEBT.replace("3,2,0", "3,9,9")))
        window.evaluate(
            "new MutationObserver(all => all.forEach(one => one.addedNodes.forEach(node => {"
            "if (node.className === 'flying') window.flew = true}))).observe(document.body, {childList: true})"
        )
        press(window, "f8", "f6")
        at_ply(window, 1)
        if flies:
            window.wait_for_function("window.flew")
            window.wait_for_selector(".flying", state="detached")
        assert window.evaluate("window.flew") is flies
        at_table(window, server.table(position=MIXED))
        for _ in range(2):
            window.locator('.stage [data-cell="e4"]').click(force=True)
            window.wait_for_selector(".stage .body.shaken", state="attached")
            name = "() => getComputedStyle(document.querySelector('.stage .body.shaken')).animationName"
            assert ("shake" in window.evaluate(name)) is bool(flies)


def test_every_player_sees_his_home_at_the_bottom(page: Page, server: Server) -> None:
    for link, king in zip(server.links([FRIEND] * 3, game="triplicity"), ("wK", "bK", "rK"), strict=True):
        come(page, link)
        page.wait_for_selector(f'[data-symbol="{king}"]')
        board, piece = box(page.locator(".stage .board .outline")), page.locator(f'.stage [data-symbol="{king}"]')
        assert box(piece.first)["y"] > board["y"] + board["height"] * 0.7, king
        page.evaluate("localStorage.clear()")
        page.goto("about:blank")


def test_arrows_walk_across_the_seam(page: Page, server: Server) -> None:
    at_table(page, server.table(position=HARLEQUIN.replace("board=4x4", "board=4x4,wrap=true")))
    assert page.locator(".stage .seam use").count() == 16
    cell(page, "a4").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.cell") == "d4"
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.cell") == "d1"
    # The skin of the kingdom.
    menu(page, "The Kingdom")
    page.keyboard.press("Escape")
    assert page.locator(".player .name").all_inner_texts() == ["Black camp", "White camp"]
    assert page.locator(".prompt").inner_text().startswith("Black camp: visit one of your towns")


def test_clocks_tick_and_a_flag_falls(page: Page, server: Server) -> None:
    at_table(page, server.table(game="sparklies", options={"board": "4x4"}, clock={"kind": "turn", "seconds": 3}))
    assert page.locator(".clock").all_inner_texts() == ["0:03.0", "0:03.0"]
    press(page, "a1")
    page.wait_for_selector(".clock.running")
    page.wait_for_selector(".result")
    assert "time" in page.locator(".result").inner_text()


def test_the_graph_through_the_game(page: Page, server: Server) -> None:
    found = server.post("/api/analyse", {"game": "sparklies", "options": {"board": "4x4"}, "seed": 3})
    start, played = found["start"], list[str]()
    for _ in range(3):
        played.append(found["view"]["paths"][0][0])
        found = server.post("/api/analyse", {"position": start, "moves": played})
    page.goto(server.table(record=found["record"]))
    page.wait_for_function("() => document.querySelector('.side .graph polyline')?.points.length >= 4")


def test_the_start_that_is_shown_is_the_start_that_is_played(page: Page, server: Server) -> None:
    custom(page, server, game="Sparklies")
    page.wait_for_function("() => document.querySelectorAll('.board-frame .symbol').length > 20")
    settled(page)
    tones = "all => all.map(sign => sign.getAttribute('class').match(/tone-[a-z]+/)[0])"
    shown = page.eval_on_selector_all(".board-frame .pieces .symbol", tones)
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_selector(".stage .pieces .symbol")
    assert page.eval_on_selector_all(".stage .pieces .symbol", tones) == shown


def test_the_best_solitaire_is_kept(page: Page, server: Server) -> None:
    for turn in (1, 2):
        at_table(page, server.table([ME], game="sparklies", options={"board": "2x2", "ruleset": "speed", "players": 1}))
        for _ in range(40):
            if page.locator(".result").count():
                break
            ply = page.locator(".middle").get_attribute("data-ply")
            page.locator(".cell[data-legal]").first.click()
            page.wait_for_selector(f".chooser, .middle:not([data-ply='{ply}'])")
            if page.locator(".chooser").count():
                page.locator(".chooser .pick").first.click()
            page.wait_for_function("ply => document.querySelector('.middle').dataset.ply !== ply", arg=ply)
        told = page.locator(".result").inner_text()
        assert ("first result" in told) == (turn == 1)
        assert re.search(r"\d+ turns?\.", told)


# Red on d4 with one blue and one yellow beside it; and yellow on e4, played on the turn just before.
MIXED = "sanqi/4 4/5/6/3RY2/2B3/5/4 F e4"


def refused(page: Page, name: str) -> str:
    """Choose a cell that is refused; what is said, which stands in sight and is not covered."""
    cell(page, name).click(force=True)
    page.locator(".stage .refused").wait_for(state="attached")
    settled(page)
    prompt = page.locator(".prompt.why")
    assert bottom(prompt) <= page.evaluate("innerHeight")
    assert box(prompt)["y"] >= bottom(page.locator(".stage svg.board")) - 1, "it does not cover the board"
    told = prompt.inner_text()
    assert told
    return told


def test_a_piece_that_cannot_be_replaced(page: Page, phone: Page, server: Server) -> None:
    for window in (page, phone):
        at_table(window, server.table(position=MIXED))
        told = refused(window, "d4")
        assert re.search(r"Neighbours of d4: 1 (Yellow|Blue), 0 Red\. Replacing Red with \1 takes at least 2", told)
        hold(window, "B")
        assert "Neighbours of d4: 1 Blue, 0 Red. Replacing Red with Blue takes at least 2 Blue" in refused(window, "d4")
        hold(window, "R")
        assert "Red is already on d4" in refused(window, "d4")
        assert "Ko: the piece on e4 was just played" in refused(window, "e4")


def test_men_and_cells_that_cannot_move_and_cells_of_others(page: Page, server: Server) -> None:
    at_table(page, server.table(seats(3), game="triplicity"))
    vacant = page.locator(".stage [data-cell]:not([data-symbol], [data-legal])").first.get_attribute("data-cell") or ""
    assert "is vacant. Choose one of your pieces." in refused(page, vacant)
    for king, owner in (("bK", "Black"), ("rK", "Red")):
        name = page.locator(f'.stage [data-symbol="{king}"]').first.get_attribute("data-cell") or ""
        assert f"is {owner}'s" in refused(page, name)
    blocked = page.locator(".stage [data-symbol^=w]:not([data-legal])")
    assert blocked.count()
    for name in blocked.evaluate_all("all => all.map(one => one.dataset.cell)"):
        assert refused(page, name) != ""
    at_table(page, server.table(position="sparklies/board=3x2,ruleset=subtle r1*g1r1*/g1r1*g2 B v 1"))
    assert "White" in refused(page, "c1")


def test_when_it_is_not_ones_turn_and_when_it_is_over(meet: Meet, server: Server) -> None:
    one, two, other = meet(), meet(), meet()
    link, _ = together(server, one, two, **SMALL)
    ready(one)
    assert refused(two, "d4") == "Waiting for Friend."
    play(one, "Rd4")
    at_ply(two, 1)
    assert refused(one, "c3") == "Waiting for Friend."
    visit(other, link.partition("#")[0], ".stage .cell")
    assert "watching" in refused(other, "c3")
    one.get_by_role("button", name="Previous move").click()
    at_ply(one, 0)
    assert "viewing turn" in refused(one, "c3")
    resign(two)
    two.wait_for_selector(".result")
    assert "over" in refused(two, "c3")
