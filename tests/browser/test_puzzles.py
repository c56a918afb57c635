"""Puzzles in the page: the daily one, a right and a wrong try, and the rating that follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import tercet
from tercet.puzzles import read, shipped

from .hands import picture
from .table import Server, hold

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.page]

ONE = next(
    puzzle
    for path in shipped("sanqi")
    for puzzle in read(path)
    if puzzle["turns"] == 1 and puzzle["mover"] in puzzle["attackers"] and "wrong" in puzzle
)


def shown(page: Page, ident: str, state: str) -> None:
    """Wait until the page shows a puzzle in that state."""
    page.wait_for_selector(f'.middle[data-puzzle="{ident}"][data-state="{state}"]')


def enter(page: Page, puzzle: dict[str, Any], action: str) -> None:
    """Enter an action through the board; the server said how."""
    for step in next(path[1] for path in puzzle["view"]["paths"] if path[0] == action):
        if step.startswith("#"):
            hold(page, step[1:])
        else:
            page.locator(f'.stage [data-cell="{step}"]').click()


def test_wrong_then_right_then_the_next(page: Page, server: Server) -> None:
    page.goto(f"{server.base}/puzzles/sanqi/{ONE['id']}")
    shown(page, ONE["id"], "going")
    picture(page, "puzzle-begins")
    puzzle = server.get(f"/api/puzzles/{ONE['id']}")
    position = tercet.parse(ONE["position"])
    wrong = next(
        str(action)
        for action in position.legal_actions
        if str(action) not in ONE["right"] and not position.play(action).is_over
    )
    enter(page, puzzle, wrong)
    shown(page, ONE["id"], "wrong")
    page.get_by_text("Not quite.").first.wait_for()
    picture(page, "puzzle-wrong")
    standing = page.locator("[data-standing]").inner_text()
    assert "(-" in standing
    page.get_by_role("button", name="Try again").click()
    shown(page, ONE["id"], "going")
    enter(page, puzzle, next(iter(ONE["right"])))
    shown(page, ONE["id"], "right")
    assert "(" not in page.locator("[data-standing]").inner_text()  # it counts once
    picture(page, "puzzle-right")
    page.get_by_role("button", name="Next puzzle").click()
    page.wait_for_selector(f'.middle[data-state="going"]:not([data-puzzle="{ONE["id"]}"])')


def test_the_daily_puzzle_and_themes(page: Page, server: Server) -> None:
    page.goto(server.base)
    page.get_by_role("link", name="Puzzles").first.click()
    daily = server.get("/api/puzzles/daily")
    shown(page, daily["id"], "going")
    page.get_by_role("navigation", name="Games").get_by_role("link", name="SanQi").click()
    page.wait_for_url("**/puzzles/sanqi/**")
    page.get_by_text("Themes and difficulty").click()
    page.get_by_label("pivot").check()
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector('.middle[data-state="going"]')
    picture(page, "puzzle-themes")
