"""The trainer in the page: a round with wrong and right answers by keys alone, in German, and its fit on a phone."""

import contextlib
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import tercet
from tercet.answers.translation import teller
from tercet.games import game_definition
from tercet.learning.puzzles import read, shipped

from .conftest import PHONE
from .hands import axe, picture
from .table import Server
from .test_fit import CUT, HIDDEN
from .test_puzzles import solve

pytestmark = [pytest.mark.browser, pytest.mark.page]

KNOWN = game_definition("sanqi").puzzles
MOTIFS = KNOWN.motifs if KNOWN is not None else ()
PUZZLES = {one["id"]: one for path in shipped("sanqi") for one in read(path)}
GERMAN = teller("sanqi", "de")


def given(page: Page) -> dict[str, Any]:
    """The puzzle that is shown, undecided: its motif is not named."""
    ident = page.locator('.middle[data-state="going"]').get_attribute("data-puzzle")
    assert ident is not None
    page.locator("#main").get_by_text("Welches Motiv ist es?").wait_for()
    assert page.locator("[data-motif]").count() == 0
    return PUZZLES[ident]


def press(page: Page, name: str) -> None:
    """Press a button or follow a link with the keyboard."""
    page.get_by_role("button", name=name).or_(page.get_by_role("link", name=name)).first.press("Enter")


def enter_by_keys(page: Page, puzzle: dict[str, Any], action: str) -> None:
    """Enter an action through the board; the server said how."""
    for step in next(path[1] for path in puzzle["view"]["paths"] if path[0] == action):
        what = f'[data-pick="{step[1:]}"]' if step.startswith("#") else f'.stage [data-cell="{step}"]'
        if page.locator(what).first.get_attribute("aria-pressed") != "true":  # a piece that is in the hand already
            page.locator(what).first.press("Enter")


def test_a_round_by_keys_in_german_names_each_motif_after_the_try(meet: Callable[..., Page], server: Server) -> None:
    page = meet(locale="de-DE")
    page.goto(f"{server.base}/puzzles/sanqi/streak")
    press(page, "Trainer")
    page.locator("#main").get_by_text(f"0 von {len(MOTIFS)} sitzen").wait_for()
    assert page.locator('li[data-state="new"]').count() == len(MOTIFS)
    picture(page, "trainer-new")
    press(page, "Ein neues Motiv lernen")
    for number, motif in enumerate(MOTIFS):
        puzzle = given(page)
        if number == 0:
            legal = tercet.parse(puzzle["position"]).legal_actions
            wrong = next(str(action) for action in legal if str(action) not in puzzle["right"])
            enter_by_keys(page, server.get(f"/api/puzzles/{puzzle['id']}"), wrong)
            page.locator('.middle[data-state="wrong"]').wait_for()
        else:
            press(page, "Lösung zeigen (zählt als Fehler)")
        title = GERMAN(motif.title)
        page.locator(f'[data-motif="sanqi/{motif.key}"]', has_text=f"Motiv: {title}").wait_for()
        page.wait_for_function("words => window.heard.some(said => said.includes(words))", arg=title)
        assert axe(page, "solution") == []
        press(page, "Nächste Aufgabe")
    page.locator("#main").get_by_text("Jetzt ist nichts fällig. Das nächste: morgen.").wait_for()
    assert page.locator('li[data-state="learning"]').count() == len(MOTIFS)
    press(page, "Im Voraus üben")
    given(page)
    press(page, "Alle Motive")
    with contextlib.closing(sqlite3.connect(server.data / "tercet.sqlite", timeout=10)) as database:
        database.execute("UPDATE puzzle_tries SET at = at - 86400")
        database.commit()
    page.reload()
    press(page, f"Üben: {len(MOTIFS)} fällig")
    solve(page, server, given(page), enter_by_keys)
    page.locator('.middle[data-state="right"]').wait_for()
    picture(page, "trainer-right")
    press(page, "Alle Motive")
    page.get_by_role("heading", name="Wie gut du dich erinnerst").wait_for()
    expect(page.locator("figure li").first).to_contain_text("1 von 1 richtig")
    assert axe(page, "trainer") == []
    picture(page, "trainer-curve")


def test_the_trainer_fits_a_phone_and_each_game_has_motifs_of_its_own(
    meet: Callable[..., Page], server: Server
) -> None:
    phone = meet(**PHONE)
    phone.goto(f"{server.base}/puzzles/sanqi/trainer")
    phone.locator("#main").get_by_text("Two threats at once").wait_for()
    phone.get_by_role("link", name="Triplicity").tap()
    phone.wait_for_url("**/puzzles/triplicity/trainer")
    phone.locator("#main").get_by_text("Rook against king").wait_for()
    for width, height in ((360, 640), (390, 844)):
        phone.set_viewport_size({"width": width, "height": height})
        assert phone.evaluate("document.documentElement.scrollWidth") <= width
        assert phone.evaluate(CUT) == phone.evaluate(HIDDEN) == []
    assert axe(phone, "trainer") == []
