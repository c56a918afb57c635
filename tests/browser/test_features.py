"""What the page offers besides the moves: looking ahead, whole turns, motions, questions, reasons, clocks, skins."""

import re
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from .hands import picture
from .table import Server, at_ply, at_table, come, custom, ready, said, settled

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.motion]

THREE: list[dict[str, Any]] = [{"kind": "me"}, {"kind": "here"}, {"kind": "here"}]
HARLEQUIN = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
AREA = "sparklies/board=3x2,ruleset=subtle r1*g1r1*/g1r1*g1 B v 1"
WRAPPED = "sparklies/board=4x4,wrap=true,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
JEOPARDY = "triplicity 11/rK11/13/12/11/1rR3wR4/9/5bK2/7/6/5/4/1wK1 W 10,10,10 a,a,a 0 -"
RED_IS_POOR = "triplicity 11/rK11/3rN7bK1/12/4rP4bP1/5wR4/9/5bN2/7/6/5/2wQ1/1wK1 W 3,2,0 a,a,a 0 -"
CONFIRM_ALWAYS = "localStorage.setItem('tercet.settings', JSON.stringify({confirm: 'always'}))"


def cell(page: Page, name: str) -> Any:
    """A cell of the board."""
    return page.locator(f'.stage [data-cell="{name}"]')


def moves(page: Page) -> list[str]:
    """The moves of the list."""
    return page.locator(".move").all_inner_texts()


def test_a_choice_shows_what_it_would_do(page: Page, server: Server) -> None:
    at_table(page, server.table(position=HARLEQUIN))
    cell(page, "b3").click()
    page.locator(".chooser").get_by_role("button", name="red").hover()
    page.wait_for_selector(".stage .preview")
    assert page.locator(".stage .preview .halo").count() == 2
    assert (
        "b3 turns from" in page.locator(".prompt").inner_text()
        or "b3 stays red" in page.locator(".prompt").inner_text()
    )
    picture(page, "preview")
    assert moves(page) == []
    page.mouse.move(2, 2)
    page.wait_for_selector(".stage .preview", state="detached")


def test_a_turn_is_staged_undone_and_confirmed_as_a_whole(page: Page, server: Server) -> None:
    page.add_init_script(CONFIRM_ALWAYS)
    at_table(page, server.table(position=HARLEQUIN))
    confirm = page.locator(".confirm")
    for name, colour in (("b3", "red"), ("c3", "green")):
        cell(page, name).click()
        page.locator(".chooser").get_by_role("button", name=colour).click()
        page.wait_for_selector(f'.confirm[data-steps="{1 if name == "b3" else 2}"]:not(.pending)')
    assert moves(page) == [], "nothing is sent before it is confirmed"
    assert confirm.get_by_role("button", name="Play").count() == 0, "half a turn is not offered to be sent"
    confirm.get_by_role("button", name="Undo").click()
    page.wait_for_selector(".confirm[data-steps='1']")
    picture(page, "staged")
    page.locator("[data-gesture=deactivate]").click()
    confirm.get_by_role("button", name="Play").click()
    page.wait_for_function("() => document.querySelectorAll('.move').length > 1")
    assert page.locator(".confirm").count() == 0


def test_a_table_can_ask_for_confirmed_turns(page: Page, server: Server) -> None:
    at_table(page, server.table(position=HARLEQUIN, confirm=True))
    cell(page, "b3").click()
    page.locator(".chooser").get_by_role("button", name="red").click()
    page.locator("[data-gesture=deactivate]").click()
    page.locator(".confirm").get_by_text("End the turn: all colours stay as they are?").wait_for()
    page.locator(".confirm").get_by_role("button", name="Play").click()
    page.wait_for_function("() => document.querySelectorAll('.move').length > 1")


def test_the_quadrille_by_the_other_button_and_by_keys(page: Page, server: Server) -> None:
    at_table(page, server.table(position=HARLEQUIN))
    assert page.locator(".stage .spot").count() == 1
    cell(page, "c2").click(button="right")
    at_ply(page, 1)
    assert moves(page) == ["b3=R"]
    at_table(page, server.table(position=AREA))
    cell(page, "a1").focus()
    page.keyboard.press("Shift+Enter")
    page.wait_for_function("() => document.querySelectorAll('.move').length > 1")


def test_the_quadrille_by_a_long_press_is_staged(phone: Page, server: Server) -> None:
    at_table(phone, server.table(position=AREA))
    box = cell(phone, "b1").bounding_box()
    assert box is not None
    touch = phone.context.new_cdp_session(phone)
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    phone.wait_for_selector(".confirm:not(.pending)")
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert moves(phone) == []
    picture(phone, "quadrille-phone")
    phone.locator("[data-gesture=deactivate]").tap()
    phone.locator(".confirm").get_by_role("button", name="Play").tap()
    phone.wait_for_function("() => document.querySelectorAll('.move').length > 1")


def test_everything_is_deactivated_by_a_button_or_its_key(page: Page, server: Server) -> None:
    page.goto(server.table(position=AREA))
    page.wait_for_selector("[data-gesture=deactivate]")
    page.locator("[data-gesture=deactivate]").hover()
    page.wait_for_selector(".stage .preview")
    page.keyboard.press("d")
    page.wait_for_function("() => document.querySelectorAll('.move').length > 1")
    page.wait_for_selector("[data-gesture=deactivate]", state="detached")


def test_the_cascade_and_its_lines(page: Page, server: Server) -> None:
    at_table(page, server.table(position=HARLEQUIN))
    page.locator("[data-explore=danger]").click()
    page.wait_for_function("() => document.querySelector('.explore p')?.textContent.startsWith('At risk')")
    page.locator("[data-explore=cascade]").click()
    page.wait_for_selector(".explore li button")
    page.locator(".explore li button").first.click()
    page.wait_for_selector(".confirm")
    picture(page, "cascade")
    page.locator(".confirm").get_by_role("button", name="Back", exact=True).click()
    assert moves(page) == []
    page.locator(".explore li button").first.click()
    page.locator(".confirm").get_by_role("button", name=re.compile("Play this|these")).click()
    page.wait_for_function("() => document.querySelectorAll('.move').length > 0")


def test_threats_and_reach(page: Page, server: Server) -> None:
    at_table(page, server.table(THREE, position=JEOPARDY))
    page.locator("[data-explore=threats]").click()
    page.wait_for_selector(".stage .edge.danger")
    expect(cell(page, "b8")).to_have_attribute("aria-label", re.compile("could be taken by"))
    page.locator("[data-explore=reach]").click()
    assert page.locator(".cell[data-legal]").count() == 0, "cells are asked about, not played on"
    cell(page, "b8").click()
    page.wait_for_selector(".stage .edge.hint")
    picture(page, "reach")
    page.keyboard.press("Escape")
    ready(page)
    assert page.locator(".stage .edge.hint").count() == 0


def test_jeopardy_is_explained_where_it_forbids(page: Page, server: Server) -> None:
    at_table(page, server.table(THREE, position=JEOPARDY))
    cell(page, "f8").click()
    cell(page, "f6").click(force=True)
    expect(page.locator(".prompt.why")).to_contain_text("Red can take yours")
    said(page, "Red can take yours")
    picture(page, "jeopardy")


def test_the_sacrifice_cannot_be_missed(page: Page, server: Server) -> None:
    at_table(page, server.table(THREE, position=RED_IS_POOR))
    cell(page, "f8").click()
    cell(page, "f6").click()
    page.wait_for_selector(".prompt.must")
    assert "Red: you owe White tribute" in page.locator(".prompt.must").inner_text()


def test_tribute_flies_to_the_captor(page: Page, server: Server) -> None:
    at_table(
        page,
        server.table(
            THREE, position="triplicity 11/rK11/3rN7bK1/12/4rP4bP1/5wR4/9/5bN2/7/6/5/2wQ1/1wK1 W 3,9,9 a,a,a 0 -"
        ),
    )
    cell(page, "f8").click()
    cell(page, "f6").click()
    page.wait_for_selector(".flying")
    page.wait_for_selector(".flying", state="detached")


def test_nothing_flies_where_no_motion_is_wanted(night: Page, server: Server) -> None:
    at_table(
        night,
        server.table(
            THREE, position="triplicity 11/rK11/3rN7bK1/12/4rP4bP1/5wR4/9/5bN2/7/6/5/2wQ1/1wK1 W 3,9,9 a,a,a 0 -"
        ),
    )
    night.evaluate(
        "new MutationObserver(all => all.forEach(one => one.addedNodes.forEach(node => {"
        "if (node.className === 'flying') window.flew = true}))).observe(document.body, {childList: true})"
    )
    cell(night, "f8").click()
    cell(night, "f6").click()
    at_ply(night, 1)
    assert night.evaluate("window.flew") is None


def test_every_player_sees_his_home_at_the_bottom(page: Page, server: Server) -> None:
    made = server.post("/api/tables", {"game": "triplicity", "seats": [{"kind": "friend"}] * 3})
    for seat, king in enumerate(("wK", "bK", "rK")):
        come(page, f"{server.base}/t/{made['id']}#seat={made['seats'][seat]['link'].rsplit('=', 1)[-1]}")
        page.wait_for_selector(f'[data-symbol="{king}"]')
        box = page.locator(".stage .board .outline").bounding_box()
        man = page.locator(f'.stage [data-symbol="{king}"]').first.bounding_box()
        assert box is not None
        assert man is not None
        assert man["y"] > box["y"] + box["height"] * 0.7, king
        page.evaluate("localStorage.clear()")
        page.goto("about:blank")


def test_arrows_walk_across_the_seam(page: Page, server: Server) -> None:
    at_table(page, server.table(position=WRAPPED))
    assert page.locator(".stage .seam use").count() == 16
    cell(page, "a4").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.dataset.cell") == "d4"
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.dataset.cell") == "d1"


def test_the_kingdoms_skin(page: Page, server: Server) -> None:
    at_table(page, server.table(position=HARLEQUIN))
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name=re.compile("The Kingdom")).click()
    page.keyboard.press("Escape")
    assert page.locator(".player .name").all_inner_texts() == ["Black camp", "White camp"]
    assert page.locator(".prompt").inner_text().startswith("Black camp: visit one of your towns")
    picture(page, "kingdom")


def test_clocks_tick_and_a_flag_falls(page: Page, server: Server) -> None:
    at_table(page, server.table(game="sparklies", options={"board": "4x4"}, clock={"kind": "turn", "seconds": 3}))
    assert page.locator(".clock").all_inner_texts() == ["0:03.0", "0:03.0"]
    cell(page, "a1").click()
    page.wait_for_selector(".clock.running")
    page.wait_for_selector(".result")
    assert "time" in page.locator(".result").inner_text()


def test_own_retractions_are_counted(page: Page, server: Server) -> None:
    at_table(page, server.table(THREE, game="triplicity", takebacks="own"))
    back = page.locator(".actions").get_by_role("button", name="Takeback")
    assert back.locator(".left").inner_text() == "10 left"
    assert "10 left" in page.locator(".player").first.inner_text()
    cell(page, "c5").click()
    cell(page, "e6").click()
    at_ply(page, 1)
    back.click()
    at_ply(page, 0)
    assert back.locator(".left").inner_text() == "9 left"


def test_the_graph_through_the_game(page: Page, server: Server) -> None:
    game = server.post("/api/analyse", {"game": "sparklies", "options": {"board": "4x4"}, "seed": 3})
    first = next(path[0] for path in game["view"]["paths"])
    more = [server.post("/api/analyse", {"position": game["start"], "moves": [first]})["view"]["paths"][0][0]]
    found = server.post("/api/analyse", {"position": game["start"], "moves": [first, *more]})
    third = found["view"]["paths"][0][0]
    record = server.post("/api/analyse", {"position": game["start"], "moves": [first, *more, third]})["record"]
    page.goto(server.table(record=record))
    page.wait_for_function(
        "() => document.querySelector('.side .graph polyline')?.getAttribute('points').split(' ').length >= 4"
    )


def test_the_start_that_is_shown_is_the_start_that_is_played(page: Page, server: Server) -> None:
    custom(page, server)
    page.get_by_role("radiogroup", name="Game").get_by_text("Sparklies").click()
    page.get_by_role("radiogroup", name="Opponent").get_by_text("Same device").click()
    page.wait_for_function("() => document.querySelectorAll('.board-frame .symbol').length > 20")
    settled(page)
    shown = page.eval_on_selector_all(
        ".board-frame .pieces .symbol", "all => all.map(sign => sign.getAttribute('class').match(/tone-[a-z]+/)[0])"
    )
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_selector(".stage .pieces .symbol")
    played = page.eval_on_selector_all(
        ".stage .pieces .symbol", "all => all.map(sign => sign.getAttribute('class').match(/tone-[a-z]+/)[0])"
    )
    assert played == shown


def test_the_best_solitaire_is_kept(page: Page, server: Server) -> None:
    for turn in (1, 2):
        at_table(
            page,
            server.table(
                [{"kind": "me"}], game="sparklies", options={"board": "2x2", "ruleset": "speed", "players": 1}
            ),
        )
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


def test_a_rematch_begins_with_the_position_that_was_given(page: Page, server: Server) -> None:
    custom(page, server)
    page.get_by_role("radiogroup", name="Game").get_by_text("Sparklies").click()
    page.get_by_role("radiogroup", name="Opponent").get_by_text("Same device").click()
    page.get_by_text("Import a position or game").click()
    page.get_by_placeholder("Paste a position or game record").fill(HARLEQUIN)
    page.get_by_role("button", name="Play from here").click()
    ready(page)
    first = page.url
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    page.locator(".result").get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: "/t/" in url and url != first)
    ready(page)
    assert page.locator(".stage .spot").count() == 1


def test_questions_and_the_way_through_the_triangle_in_analysis(page: Page, server: Server) -> None:
    at_table(page, f"{server.base}/analysis?position={quote(JEOPARDY)}")
    page.locator("[data-explore=threats]").click()
    page.wait_for_selector(".stage .edge.danger")
    page.get_by_role("button", name="Engine").click()
    page.wait_for_selector(".engine .lines .step")
    page.locator(".engine .lines .step").first.click()
    page.wait_for_selector('.middle[data-ply="1"]')
    page.wait_for_selector(".eval polyline", state="attached")
