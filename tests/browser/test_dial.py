"""The dial: a rule is changed, games are played, the interval narrows, and a link carries the study on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from .hands import axe, picture

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from .table import Server

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.thorough]

COPIES = "navigator.clipboard.writeText = async text => { window.copied = text; }"


def games(page: Page) -> int:
    """How many games the page says were played."""
    return int(re.sub(r"\D", "", page.locator(".count").inner_text()))


def test_a_rule_is_changed_and_a_link_carries_the_study(page: Page, phone: Page, server: Server) -> None:
    page.goto(f"{server.base}/dial/sanqi")
    page.get_by_text("Change a rule to begin.").wait_for()
    assert page.get_by_role("button", name="Play games").is_disabled()
    assert axe(page, "dial") == []
    side = page.get_by_role("spinbutton", name="Side")
    side.fill("5")
    side.press("Tab")
    page.locator(".count").wait_for(timeout=60_000)
    page.wait_for_function("() => +document.querySelector('.count').textContent.replace(/\\D/g, '') >= 200")
    page.get_by_role("button", name="Stop").click()
    page.wait_for_load_state("networkidle")  # the last games are compared
    rows = page.locator("tbody tr")
    assert [row.locator("th").inner_text() for row in rows.all()] == [
        "First's score", "Second's score", "Draws", "Actions per game",
    ]  # fmt: skip
    picture(page, "dial")
    assert axe(page, "dial-results") == []
    played = games(page)
    page.evaluate(COPIES)
    page.get_by_role("button", name="Copy link to this study").click()
    link = page.wait_for_function("() => window.copied").json_value()

    phone.goto(link)
    phone.get_by_text(re.compile(r"\d+ games of the link were replayed and ended the same\.")).wait_for(timeout=60_000)
    phone.locator(".count").wait_for()
    assert games(phone) == played
    assert phone.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(phone, "dial-phone")
    phone.get_by_role("button", name="Play more games").click()
    phone.wait_for_function(f"() => +document.querySelector('.count').textContent.replace(/\\D/g, '') > {played}")
    phone.get_by_role("button", name="Stop").click()


CARRIED = """async text => {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).json();
}"""


def extended(page: Page, link: str) -> Any:
    """Open the link to a study, play more of its games and return what a link to it carries then."""
    page.goto(link)
    page.get_by_text("were replayed and ended the same").wait_for(timeout=60_000)
    page.locator(".count").wait_for()
    played = games(page)
    page.get_by_role("button", name="Play more games").click()
    page.wait_for_function(f"() => +document.querySelector('.count').textContent.replace(/\\D/g, '') > {played}")
    return copied(page)


def copied(page: Page) -> Any:
    """Stop, and return a link to the study and what it carries."""
    page.get_by_role("button", name="Stop").click()
    page.wait_for_load_state("networkidle")
    page.evaluate(COPIES)
    page.get_by_role("button", name="Copy link to this study").click()
    link = page.wait_for_function("() => window.copied").json_value()
    return link, page.evaluate(CARRIED, link.split("#")[1])


def test_two_people_who_extend_one_link_play_other_games(page: Page, phone: Page, server: Server) -> None:
    page.goto(f"{server.base}/dial/sanqi")
    page.get_by_role("spinbutton", name="Side").fill("5")
    page.keyboard.press("Tab")
    page.locator(".count").wait_for(timeout=60_000)
    link, study = copied(page)
    before = len(study["lots"]["changed"])
    (own_link, own), (_, other) = extended(page, link), extended(phone, link)
    for extension in (own, other):
        assert [part[0] for part in extension["parts"]] == [0, before]
        for side in ("usual", "changed"):
            assert extension["lots"][side][:before] == study["lots"][side]
    assert own["parts"][1] != other["parts"][1]
    assert own["lots"]["changed"][before] != other["lots"]["changed"][before]
    assert [part[0] for part in extended(phone, own_link)[1]["parts"]] == [0, before, len(own["lots"]["changed"])]


def test_a_link_whose_results_were_altered_is_found_out(page: Page, server: Server) -> None:
    page.goto(f"{server.base}/dial/sparklies")
    made = """async () => {
        const lot = [0.9, 0.1, 0, 12];
        const data = {
            game: "sparklies", usual: {board: "5x5"}, changed: {board: "3x3"}, level: 0, parts: [[0, 1]], games: 16,
            lots: {usual: [lot, lot, lot], changed: [lot, lot, lot]},
        };
        const stream = new Blob([JSON.stringify(data)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
        const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
        return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
    }"""
    page.goto(f"{server.base}/dial/sparklies#{page.evaluate(made)}")
    page.get_by_text(re.compile("some ended differently")).wait_for(timeout=60_000)
    page.goto(f"{server.base}/dial/sparklies#rubbish")
    page.get_by_text("This link doesn't hold a study of this game.").wait_for()


def test_the_rules_of_a_game_lead_to_its_dial(page: Page, server: Server) -> None:
    page.goto(f"{server.base}/rules/triplicity")
    page.get_by_role("link", name="What does a rule change?").click()
    page.wait_for_url("**/dial/triplicity")
    page.get_by_label("Players").select_option("1")
    page.get_by_label("Compare with").select_option(index=1)
    assert page.get_by_text("Change a rule to begin.").is_visible()
