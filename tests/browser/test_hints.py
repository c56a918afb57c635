"""Hints beside a game against an engine: three strengths, by mouse and by keys, read aloud and marked on the board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from .hands import picture
from .table import Server, at_ply, hold, ready, said

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.page, pytest.mark.thorough]

ENGINE: list[dict[str, Any]] = [{"kind": "me"}, {"kind": "engine", "level": 1}]


def test_hints_grow_stronger_until_the_move_is_played(page: Page, server: Server) -> None:
    from playwright.sync_api import expect

    page.goto(server.table(ENGINE, game="sanqi", options={"side": 4}))
    ready(page)
    page.get_by_role("button", name="Hint", exact=True).press("Enter")
    page.locator('[data-hint="place"]').press("Enter")
    said(page, "Look at this part of the board.")
    page.locator('[data-hint="piece"]').click()
    said(page, "Think about this:")
    page.locator('[data-hint="move"]').click()
    words = page.locator(".hints p span")
    page.wait_for_function("() => document.querySelector('.hints p span')?.textContent.includes(' on ')")
    expect(page.locator(".below .prompt")).to_have_text(words.inner_text())  # in sight on a phone
    kind, cell = words.inner_text().rstrip(".").split(" on ")
    picture(page, "hint")
    assert words.inner_text() in (page.locator(f'[data-cell="{cell}"]').get_attribute("aria-label") or "")
    hold(page, kind.split()[-1][0].upper())
    page.locator(f'[data-cell="{cell}"]').click()
    at_ply(page, 2)
    assert page.locator(".hints").count() == 0, "the hints go with the turn that they were for"


def test_a_hint_of_sparklies_names_the_turn_until_another_cell_is_claimed(phone: Page, server: Server) -> None:
    """It named the claim alone, and stayed on the board once another cell had been claimed."""
    position = "sparklies/board=5x5,ruleset=subtle r0r0r0r0r0/g0r0r1g0g0/g0g0g0r0g0/r0g0r0b0b0/g0b0g0b0b0 B c 0"
    phone.goto(server.table(ENGINE, position=position))
    ready(phone)
    phone.get_by_role("button", name="Hint", exact=True).tap()
    phone.locator('[data-hint="move"]').tap()
    phone.wait_for_function("() => document.querySelector('.prompt')?.textContent.includes('Ping ')", timeout=120_000)
    claim, *_ = phone.locator(".below .prompt").inner_text().removeprefix("Claim ").split(". ")
    phone.locator(f'.stage [data-cell="{claim}"]').tap()
    phone.locator(".confirm[data-steps='1']").wait_for()
    assert phone.locator(".below .prompt").inner_text().startswith("Ping ")
    assert phone.locator(".stage .edge.hint").count() == 1
    phone.locator(".confirm").get_by_role("button").first.tap()
    phone.locator(".confirm").wait_for(state="detached")
    assert phone.locator(".below .prompt").inner_text().startswith(f"Claim {claim}. Ping ")
    phone.locator(f'.stage [data-cell="{"a1" if claim != "a1" else "e5"}"]').tap()
    phone.locator(".confirm[data-steps='1']").wait_for()
    assert phone.locator(".below .prompt").inner_text() == "Your turn: ping one of your cells with any colour."
    assert phone.locator(".stage .edge.hint").count() == 0


def test_the_guide_of_a_phone_makes_way_for_hints(phone: Page, server: Server) -> None:
    """It lay over the sizes of the hint, which it had named: they could not be chosen."""
    phone.goto(server.base)
    phone.get_by_role("button", name="Play Sparklies now").tap()
    phone.wait_for_selector(".guide")
    phone.get_by_role("button", name="Hint", exact=True).tap()
    phone.locator('[data-hint="place"]').tap()
    said(phone, "Look at this part of the board.")
    phone.get_by_role("button", name="Hint", exact=True).tap()
    phone.locator(".guide").wait_for()


def test_nobody_is_helped_against_people(page: Page, server: Server) -> None:
    page.goto(server.table(game="sanqi", options={"side": 4}))
    ready(page)
    assert page.get_by_role("button", name="Hint", exact=True).count() == 0
