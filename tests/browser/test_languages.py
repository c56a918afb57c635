"""The page in the language of the browser, or in the one that was chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from .states import STATES
from .table import Server, settled
from .test_fit import COVERED, CUT, HIDDEN, QUICK

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.page]

Meet = Callable[..., "Page"]


def test_a_browser_gets_its_language_and_the_choice_stays(meet: Meet, server: Server) -> None:
    page = meet(locale="de-AT")
    fetched: list[str] = []
    page.on("response", lambda answer: fetched.append(answer.url.rpartition("/")[2].partition("-")[0]))
    page.goto(server.base)
    page.get_by_role("link", name="Aufgaben", exact=True).wait_for()
    assert page.locator("html").get_attribute("lang") == "de"
    page.get_by_text("Beide Spieler teilen sich drei Arten").wait_for()  # what a game says of itself
    assert {"de", "en", "zh"} & set(fetched) == {"de"}
    page.goto(f"{server.base}/learn/sanqi/placing")
    page.locator("#main").get_by_text("Es gibt drei Arten von Steinen").wait_for()
    page.get_by_role("button", name="Einstellungen").click()
    with page.expect_navigation():
        page.get_by_label("Sprache").select_option("zh")
    page.get_by_role("link", name="谜题", exact=True).wait_for()
    page.goto(f"{server.base}/account")
    page.get_by_role("heading", name="登录，或以访客身份下棋").wait_for()
    assert page.locator("html").get_attribute("lang") == "zh-Hans"


def test_a_language_that_there_is_not_gets_english(meet: Meet, server: Server) -> None:
    page = meet(locale="fr-FR")
    page.goto(server.base)
    page.get_by_role("link", name="Puzzles", exact=True).wait_for()
    assert page.locator("html").get_attribute("lang") == "en"


def test_a_refusal_at_a_table_is_told_in_the_language(meet: Meet, server: Server) -> None:
    page = meet(locale="de-DE", reduced_motion="reduce")
    STATES["sanqi-refused"](page, server)
    page.locator(".prompt.why", has_text="Nachbarn von").wait_for()  # the reason comes a moment after the refusal


@pytest.mark.page
@pytest.mark.parametrize("locale", ["de-DE", "zh-CN"])
@pytest.mark.parametrize("size", QUICK, ids=lambda size: f"{size[0]}x{size[1]}")
def test_nothing_is_cut_off(meet: Meet, server: Server, size: tuple[int, int], locale: str) -> None:
    page = meet(
        viewport={"width": size[0], "height": size[1]},
        reduced_motion="reduce",
        has_touch=size[0] < 760,
        locale=locale,
    )
    faults = []
    for name in ("home", "sanqi", "sparklies-chain", "triplicity", "account"):
        STATES[name](page, server)
        settled(page)
        faults += [f"{name}: cut off: {text}" for text in page.evaluate(CUT)]
        faults += [f"{name}: over the board: {what}" for what in page.evaluate(COVERED)]
        faults += [f"{name}: hidden: {what}" for what in page.evaluate(HIDDEN)]
        wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        faults += [f"{name}: {wide} pixels wider than the page"] if wide > 0 else []
    assert faults == []
