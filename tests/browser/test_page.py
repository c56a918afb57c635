"""The page around the games: analysis, records, settings, rules, both lights, and how it is read aloud."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from tests.support.waiting import until

from .hands import axe
from .screen import Point, centre, fits, styles, visit
from .seats import CLOCK, NEVER, SMALL, seats
from .table import Server, at_ply, at_table, cell, custom, hold, menu, play, ready, resign, result, said, standing

pytestmark = [pytest.mark.browser, pytest.mark.page]

POSITION = "sanqi/4 4/5/2RR2/2R1R2/2R3/5/4 S d3"


def brightness(page: Page) -> float:
    """How light the page's ground is, 0 to 255."""
    colour = page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor")
    parts = [float(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]
    return sum(parts) / 3


def test_the_laboratory_shows_figures_of_an_answer_before_its_sentence(page: Page, phone: Page, server: Server) -> None:
    studies = next(one["studies"] for one in server.get("/api/lab") if one["game"] == "sanqi")
    for window in (page, phone):
        visit(window, server.base + "/lab/sanqi", "section figure")
        assert fits(window)
        for study in studies:
            parts = window.locator(f"#{study['id']} > :is(h2, figure, p)")
            kinds = "".join(parts.evaluate_all("all => all.map((one) => one.localName)"))
            assert kinds.startswith("h2" + "figure" * len(study["charts"]) + "p"), study["id"]
            rows = window.locator(f"#{study['id']} figure li:not([aria-hidden])")
            says = [row["says"] for chart in study["charts"] for row in chart["rows"]]
            assert rows.locator(".says").all_inner_texts() == [text.replace(" %", "\u00a0%") for text in says]
            dots = rows.locator("circle").evaluate_all("all => all.map((one) => parseFloat(one.getAttribute('cx')))")
            assert all(0 <= at <= 100 for at in dots)
            assert len(dots) == len(says)
    assert axe(page, "laboratory") == []
    first = page.locator("#first-share figure li").first
    assert first.inner_text().split("\n")[0] == "Side 4, level 3"


def test_by_day_and_by_night(page: Page, night: Page, server: Server) -> None:
    position = quote("sparklies/board=3x2,ruleset=subtle r1g2r2/g2r2g2 W c 0")
    for window in (page, night):
        visit(window, f"{server.base}/analysis?position={position}", ".stage .cell")
        colours = styles(window.locator(".eval .part"), "backgroundColor")
        assert colours == ["rgb(30, 28, 25)", "rgb(255, 253, 247)"], "Black is black and White is white, day and night"
        at_table(window, server.table(position=POSITION))
    assert brightness(page) > 230
    assert brightness(night) < 40
    assert night.evaluate("() => document.documentElement.classList.contains('still')")
    page.get_by_role("button", name="Settings").click()
    page.get_by_text("Dark").click()
    page.wait_for_function("() => document.documentElement.classList.contains('dark')")
    page.reload()
    ready(page)
    assert brightness(page) < 40


LOOK = """nodes => nodes.map((node) => {
    const { backgroundColor, outlineStyle, outlineColor, color } = getComputedStyle(node);
    return [backgroundColor, outlineStyle, outlineStyle === "none" ? "" : outlineColor, color].join(" ");
})"""
GROUNDS = """nodes => nodes.map((node) => {
    const { backgroundColor, color } = getComputedStyle(node);
    return [...node.querySelectorAll(":not(svg, svg *)"), node].some(
        (each) => getComputedStyle(each).color === backgroundColor || getComputedStyle(each).color !== color);
})"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_forced_colours_leave_marks_of_what_is_held_shown_and_to_move(meet: Any, server: Server, scheme: str) -> None:
    page = meet(forced_colors="active", color_scheme=scheme)
    at_table(page, server.table(clock=CLOCK, **SMALL))
    play(page, "Rd4", "Bd5")
    hold(page, "Y")

    def differ(part: str, mark: str) -> None:
        one, rest = page.locator(part + mark), page.locator(f"{part}:not({mark})")
        until(lambda: set(one.evaluate_all(LOOK)).isdisjoint(rest.evaluate_all(LOOK)), what=part)  # colours fade
        assert one.count(), part
        assert rest.count(), part

    for pair in ((".pick", ".chosen"), (".player", ".moving"), (".clock", ".running"), (".move", "[aria-current]")):
        differ(*pair)
    marked = page.locator(".pick.chosen, .clock.running, .move[aria-current]")
    assert not any(marked.evaluate_all(GROUNDS)), "unreadable"
    custom(page, server)
    differ(".choices label", ".on")
    differ(".against label", ".on")
    at_table(page, server.table(seats(3), game="triplicity"))
    assert len(set(styles(page.locator(".chip[class*=tone]"), "backgroundColor"))) == 3


def test_the_lobby_refuses_what_the_server_refuses_and_plays_a_pasted_position(page: Page, server: Server) -> None:
    custom(page, server)
    page.wait_for_selector(".board-frame .tile")
    page.get_by_text("Import a position or game").click()
    text = page.get_by_role("textbox", name="Position or game record")
    begin = page.get_by_role("button", name="Play from here")
    text.fill("sanqi/4 nonsense F -")
    begin.click()
    page.get_by_role("alert").filter(has_text="row").wait_for()
    text.fill(POSITION)
    begin.click()
    ready(page)
    standing(page, "c5", "R")
    menu(page, "Copy position")
    page.wait_for_selector(".toast")
    assert page.evaluate("() => navigator.clipboard.readText()") == POSITION
    page.keyboard.press("Escape")
    first = page.url
    resign(page)
    assert result(page) == "Second resigned. First won."
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: "/t/" in url and url != first)
    ready(page)
    at_ply(page, 0)
    standing(page, "c5", "R")
    visit(page, server.base + "/t/0123456789abcdef", 'role=heading[name="Game not found"]')


def test_records_are_copied_downloaded_and_read_again(page: Page, server: Server) -> None:
    at_table(page, server.table(**SMALL))
    play(page, "Rd4", "Yc3")
    page.get_by_role("button", name="More").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download game record").click()
    text = Path(download.value.path()).read_text()
    assert "[Game" in text
    assert "Yc3" in text
    page.get_by_role("button", name="Copy game record").click()
    page.wait_for_selector(".toast")
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.strip() == text.strip()
    visit(page, server.base + "/analysis", ".stage .cell")
    assert page.locator(".stage .cell").count() <= 91, "a new analysis opened on 1,141 empty cells"
    page.get_by_role("button", name="New analysis", exact=True).click()
    page.get_by_role("dialog").get_by_role("textbox").fill(copied)
    page.get_by_role("button", name="Analyse").click()
    at_ply(page, 2)
    standing(page, "c3", "Y")


def moves(page: Page, what: str) -> list[str]:
    return [text.split()[-1] for text in page.locator(what).all_inner_texts()]


def test_branches_on_the_analysis_board(page: Page, server: Server) -> None:
    at_table(page, server.table(**SMALL))
    play(page, "Rd4", "Yc3")
    menu(page, "Analyse from here")
    at_ply(page, 2)
    page.get_by_role("button", name="Previous move").click()
    at_ply(page, 1)
    play(page, "Be5", ply=2)
    play(page, "Be4", ply=3)
    assert moves(page, ".tree .move") == ["Rd4", "Yc3", "Be5", "Be4"]
    page.reload()
    at_ply(page, 3)
    assert page.locator(".tree .move").count() == 4
    menu(page, "Make main line")
    assert moves(page, ".tree .move.main") == ["Rd4", "Be5", "Be4"]
    page.locator(".tree .move", has_text="Yc3").click()
    at_ply(page, 2)
    standing(page, "c3", "Y")
    page.get_by_role("button", name="Play from here").click()
    page.get_by_role("dialog").get_by_role("combobox", name="Second", exact=True).select_option("here")
    page.get_by_role("dialog").get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/t/*")
    ready(page)
    at_ply(page, 2)
    assert page.locator(".move").count() == 2


def test_the_engine_shows_lines_and_the_evaluation(page: Page, server: Server) -> None:
    at_table(page, server.base + "/analysis?position=sanqi/4%204/5/2RR2/2R1R2/2R3/5/4%20F%20-")
    page.get_by_role("button", name="Engine").click()
    page.wait_for_selector(".lines .step", timeout=120_000)
    assert page.locator(".lines .step").first.inner_text().split() == ["1.", "Re3"]
    assert page.locator(".eval").get_attribute("aria-label") == "Winning chances: First 100 %, Second 0 % (proved)"
    assert page.locator(".hinted").count() >= 1
    page.locator(".lines .step").first.click()
    at_ply(page, 1)
    standing(page, "e3", "R")


def test_turning_mirroring_and_coordinates(page: Page, server: Server) -> None:
    at_table(page, server.table(**SMALL))

    def place(name: str) -> Point:
        """Where the cell is once the board has stopped turning."""
        page.wait_for_selector(".stage .turning", state="detached")
        return centre(cell(page, name))

    middle, corner = place("d4"), place("g4")
    page.get_by_role("button", name="Rotate board").click()
    turned = place("g4")
    assert turned[1] > middle[1] + 50
    page.get_by_role("button", name="Rotate board").click(click_count=5)
    assert place("g4") == pytest.approx(corner, abs=2)
    page.get_by_role("button", name="Flip board").click()
    assert place("g4")[0] < middle[0] - 50
    play(page, "Rg4")
    assert page.locator(".labels text").count() > 0
    page.get_by_role("button", name="Settings").click()
    page.get_by_text("Coordinates").click()
    page.get_by_text("Letters").click()
    page.keyboard.press("Escape")
    assert page.locator(".labels text").count() == 0
    assert page.locator(".stage .pieces text").text_content() == "R"


def test_what_is_read_aloud_and_rules_beside_the_board_and_large_text_break_nothing(page: Page, server: Server) -> None:
    at_table(page, server.table(**SMALL))
    label = cell(page, "d4").get_attribute
    assert label("aria-label") == "d4: empty, legal"
    hold(page, "R")
    page.keyboard.press("/")
    said(page, "37 legal")
    play(page, "Rd4")
    said(page, "Red on d4.")
    said(page, "Second to move.")
    assert re.match("d4: Red.*last move", label("aria-label") or "")
    nameless = "all => all.filter(node => !(node.getAttribute('aria-label') || node.textContent.trim())).length"
    assert page.locator("button, a[href], [role=button]").evaluate_all(nameless) == 0
    page.get_by_role("button", name="Rules").click()
    page.locator("aside figure .board").first.wait_for()
    assert page.locator("aside figure [data-cell]").count() == 0
    play(page, "Bc4")
    page.keyboard.press("Escape")
    page.locator("aside").wait_for(state="detached")
    page.evaluate("() => { document.documentElement.style.fontSize = '160%' }")
    assert fits(page)
    play(page, "Yc3")
    visit(page, server.base + "/rules/sanqi", 'role=heading[name="The rules of SanQi"]')


ORDER = """() => {
    window.order = [];
    new MutationObserver((changes) => {
        const added = changes.flatMap((change) => [...change.addedNodes]);
        if (added.some((node) => node.matches?.("use.pressed"))) {
            order.push("marked");
            requestAnimationFrame(() => order.push("drawn"));
        }
        if (changes.some((change) => change.attributeName === "data-symbol")) order.push("answered");
    }).observe(document.querySelector(".stage"), { subtree: true, childList: true, attributes: true });
}"""


@pytest.mark.parametrize("how", ["mouse", "touch", "keys"])
def test_a_pressed_cell_is_marked_before_its_answer(page: Page, phone: Page, server: Server, how: str) -> None:
    window = phone if how == "touch" else page
    window.add_init_script(NEVER)
    at_table(window, server.table(**SMALL))
    window.locator("[data-pick]").first.click()
    window.locator("[data-pick].chosen").wait_for()
    window.evaluate(ORDER)
    d4 = cell(window, "d4")
    if how == "keys":
        d4.press("Enter")
    else:
        d4.tap() if how == "touch" else d4.click()
    at_ply(window, 1)
    assert window.evaluate("order.slice(0, 3)") == ["marked", "drawn", "answered"]
    assert window.locator(".stage .pressed").count() == 0
