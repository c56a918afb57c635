"""Whole games of Sparklies in a real browser: every action is clicked, touched or keyed on the page."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from .hands import Hands, picture
from .states import CHAIN
from .table import Server

pytestmark = [pytest.mark.browser, pytest.mark.long]

Sit = Callable[..., Hands]


def play_out(hands: Hands, seed: int, shot: str = "", at: int = 0) -> None:
    """Play to the end as chance will have it; a picture before action ``at``."""
    chance = random.Random(seed)
    while not hands.over:
        if shot and hands.state["ply"] >= at:
            picture(hands.page, shot)
            shot = ""
        hands.play(chance.choice(hands.paths)[0])


def held(hands: Hands) -> list[int]:
    """How many cells each player holds on the screen, counted from the labels that are read aloud."""
    labels = hands.page.eval_on_selector_all(".stage .cell", "found => found.map(cell => cell.ariaLabel)")
    return [sum(f", {name}'s" in label for label in labels) for name in hands.table["players"]]


def result(page: Page) -> str:
    """The result as it is told."""
    return page.locator(".result p").first.inner_text()


def gained(hands: Hands) -> None:
    """The end: everything is held by somebody, and what is told is what stands on the board."""
    assert hands.page.locator(".cell[data-legal]").count() == 0
    cells = held(hands)
    assert sum(cells) == len(hands.table["board"]["cells"])
    told = result(hands.page)
    if len(cells) > 1:
        tally = ", ".join(f"{name} {count}" for name, count in zip(hands.table["players"], cells, strict=True))
        score = "-".join(map(str, sorted(cells, reverse=True)))
        best = [name for name, count in zip(hands.table["players"], cells, strict=True) if count == max(cells)]
        called = {card.get_attribute("data-side"): card.get_attribute("aria-label") for card in
                  hands.page.locator(".player").all()}  # fmt: skip
        assert told.startswith((f"{best[0]} wins", f"{called[best[0]]} wins") if len(best) == 1 else "Draw")
        assert (score if len(cells) == 2 and len(best) == 1 else tally) in told


SOLO: list[dict[str, Any]] = [{"kind": "me"}]
THREE: list[dict[str, Any]] = [{"kind": "me"}, {"kind": "here"}, {"kind": "here"}]
AGAINST: list[dict[str, Any]] = [{"kind": "me"}, {"kind": "engine", "level": 1}]


@pytest.mark.parametrize("size", [4, pytest.param(9, marks=pytest.mark.long)])
def test_subtle_against_the_engine(page: Page, server: Server, sit: Sit, size: int) -> None:
    hands = sit(page, server.table(AGAINST, game="sparklies", options={"board": f"{size}x{size}"}, seed=5))
    play_out(hands, 1, f"subtle-{size}x{size}", 20)
    gained(hands)
    assert hands.state["ply"] < 7.5 * size * size, "a turn planned anew at each of its actions goes on and on"


@pytest.mark.parametrize("size", [4, pytest.param(6, marks=pytest.mark.long)])
def test_speed_at_one_screen(page: Page, server: Server, sit: Sit, size: int) -> None:
    hands = sit(page, server.table(game="sparklies", options={"board": f"{size}x{size}", "ruleset": "speed"}, seed=5))
    play_out(hands, 1, f"speed-{size}x{size}", 10)
    gained(hands)
    assert any(event["kind"] == "captured" for event in hands.events), "chains ran"


@pytest.mark.parametrize("edge", [3, pytest.param(4, marks=pytest.mark.long)])
def test_three_players_on_hexagons(page: Page, server: Server, sit: Sit, edge: int) -> None:
    options = {"board": f"hex{edge}", "players": 3}
    hands = sit(page, server.table(THREE, game="sparklies", options=options, seed=5))
    play_out(hands, 2, f"hex{edge}-three", 20)
    gained(hands)


def test_a_wrapped_board_with_dead_cells(page: Page, server: Server, sit: Sit) -> None:
    options = {"board": "4x4", "wrap": True, "dead": "c3.d1"}
    hands = sit(page, server.table(game="sparklies", options=options, seed=5))
    assert (page.locator(".stage .seam").count(), page.locator('[data-cell="c3"]').count()) == (1, 0)
    play_out(hands, 3, "wrap-dead", 10)
    gained(hands)


@pytest.mark.parametrize("size", [3, pytest.param(4, marks=pytest.mark.long)])
def test_a_duel(page: Page, server: Server, sit: Sit, size: int) -> None:
    hands = sit(page, server.table(game="sparklies", options={"board": f"{size}x{size}", "mode": "duel"}, seed=5))
    play_out(hands, 4, "duel", 10)
    gained(hands)
    assert page.locator(".move", has_text="!").count() > 0, "cells were activated"


def test_a_solitaire(page: Page, server: Server, sit: Sit) -> None:
    options = {"board": "4x4", "ruleset": "speed", "players": 1}
    hands = sit(page, server.table(SOLO, game="sparklies", options=options, seed=5))
    play_out(hands, 5, "solitaire", 10)
    gained(hands)
    assert result(page) == "The whole board is yours."


def test_touched(phone: Page, server: Server, sit: Sit) -> None:
    hands = sit(phone, server.table(game="sparklies", options={"board": "4x4"}, seed=5), "touch")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
    play_out(hands, 6, "phone-4x4", 12)
    gained(hands)


def test_all_that_a_turn_needs_lies_on_a_narrow_screen(meet: Callable[..., Page], server: Server) -> None:
    phone = meet(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    phone.goto(server.table(game="sparklies", seed=5))
    phone.locator(".cell[data-legal]").nth(30).tap()
    phone.wait_for_selector(".confirm:not(.pending)")
    for _ in range(2):  # before a chain and in it
        for button in phone.locator(".confirm .button, .gestures .button, .pick.laid").all():
            box = button.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 360
        phone.goto(server.table(position=CHAIN))
        phone.locator(".cell[data-legal]").first.tap()
        phone.locator(".chooser button").first.tap()
        phone.wait_for_selector(".confirm:not(.pending)")


def test_three_players_touched(phone: Page, server: Server, sit: Sit) -> None:
    options = {"board": "hex3", "players": 3, "ruleset": "speed"}
    hands = sit(phone, server.table(THREE, game="sparklies", options=options, seed=5), "touch")
    play_out(hands, 7, "phone-hex3-three", 8)
    gained(hands)


def test_keyboard_only(page: Page, server: Server, sit: Sit) -> None:
    hands = sit(page, server.table(game="sparklies", options={"board": "4x4"}, seed=5), "keys")
    play_out(hands, 8, "keys-4x4", 12)
    gained(hands)


def test_duel_by_keys(page: Page, server: Server, sit: Sit) -> None:
    options = {"board": "3x3", "mode": "duel", "setup": "blank"}
    hands = sit(page, server.table(game="sparklies", options=options), "keys")
    play_out(hands, 9, "keys-duel-blank", 12)
    gained(hands)


def test_pictures_of_a_phone(phone: Page, server: Server, sit: Sit) -> None:
    hands = sit(phone, server.table(AGAINST, game="sparklies", seed=5), "touch")
    hands.all_of([hands.paths[40][0]])
    hands.play(hands.paths[-1][0])
    picture(phone, "phone-9x9")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390
