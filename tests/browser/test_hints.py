"""Hints beside a game against an engine: three strengths, by mouse and by keys, read aloud and marked on the board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from .hands import picture
from .table import Server, at_ply, hold, ready, said

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.page]

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


def test_nobody_is_helped_against_people(page: Page, server: Server) -> None:
    page.goto(server.table(game="sanqi", options={"side": 4}))
    ready(page)
    assert page.get_by_role("button", name="Hint", exact=True).count() == 0
