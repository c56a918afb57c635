"""The trainer in the page: a round with wrong and right answers by keys alone, in German, and its fit on a phone."""

import contextlib
import sqlite3
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tercet.answers.translation import teller
from tercet.games import game_definition

from .conftest import PHONE
from .hands import Path_, axe
from .screen import fits, resize
from .seats import Meet
from .table import Server, cell
from .test_fit import CUT, HIDDEN
from .test_puzzles import first, solve

pytestmark = [pytest.mark.browser, pytest.mark.page]

KNOWN = game_definition("sanqi").puzzles
MOTIFS = KNOWN.motifs if KNOWN is not None else ()
GERMAN = teller("sanqi", "de")


def given(page: Page) -> dict[str, Any]:
    """The puzzle that is shown, undecided: its motif is not named."""
    ident = page.locator('.middle[data-state="going"]').get_attribute("data-puzzle")
    page.locator("#main").get_by_text("Welches Motiv ist es?").wait_for()
    assert page.locator("[data-motif]").count() == 0
    return first("sanqi", lambda one: one["id"] == ident)


def press(page: Page, name: str) -> None:
    """Press a button or follow a link with the keyboard."""
    page.get_by_role("button", name=name).or_(page.get_by_role("link", name=name)).first.press("Enter")


def enter_by_keys(page: Page, paths: list[Path_], action: str) -> None:
    """Enter an action through the board; the server said how."""
    for step in next(path[1] for path in paths if path[0] == action):
        what = page.locator(f'[data-pick="{step[1:]}"]').first if step.startswith("#") else cell(page, step)
        if what.get_attribute("aria-pressed") != "true":  # a piece that is in the hand already
            what.press("Enter")


def test_a_round_by_keys_in_german_names_each_motif_after_the_try(meet: Meet, server: Server) -> None:
    page = meet(locale="de-DE")
    page.goto(f"{server.base}/puzzles/sanqi/streak")
    press(page, "Trainer")
    page.locator("#main").get_by_text(f"0 von {len(MOTIFS)} sitzen").wait_for()
    assert page.locator('li[data-state="new"]').count() == len(MOTIFS)
    press(page, "Ein neues Motiv lernen")
    for number, motif in enumerate(MOTIFS):
        puzzle = given(page)
        if number == 0:
            paths = server.get(f"/api/puzzles/{puzzle['id']}")["view"]["paths"]
            enter_by_keys(page, paths, next(action for action, *_ in paths if action not in puzzle["right"]))
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
    press(page, "Alle Motive")
    page.get_by_role("heading", name="Wie gut du dich erinnerst").wait_for()
    expect(page.locator("figure li").first).to_contain_text("1 von 1 richtig")
    assert axe(page, "trainer") == []


def test_the_trainer_fits_a_phone_and_each_game_has_motifs_of_its_own(meet: Meet, server: Server) -> None:
    phone = meet(**PHONE)
    phone.goto(f"{server.base}/puzzles/sanqi/trainer")
    phone.locator("#main").get_by_text("Two threats at once").wait_for()
    phone.get_by_role("link", name="Triplicity").tap()
    phone.wait_for_url("**/puzzles/triplicity/trainer")
    phone.locator("#main").get_by_text("Rook against king").wait_for()
    for size in ((360, 640), (390, 844)):
        resize(phone, size)
        assert fits(phone)
        assert phone.evaluate(CUT) == phone.evaluate(HIDDEN) == []
    assert axe(phone, "trainer") == []
