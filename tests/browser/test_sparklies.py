"""Whole games of Sparklies in a real browser: every action is clicked, touched or keyed on the page."""

import random
from typing import Any

import pytest
from playwright.sync_api import Page

from .hands import Hands, Sit
from .screen import box, fits
from .seats import ME, Meet, engine, seats
from .states import CHAIN
from .table import Server, result

pytestmark = [pytest.mark.browser, pytest.mark.long]


def play_out(hands: Hands, seed: int) -> None:
    """Play to the end at random: in the end players hold all cells, and the board shows what the sentences say."""
    chance = random.Random(seed)
    while not hands.over:
        hands.play(chance.choice(hands.paths)[0])
    gained(hands)


def gained(hands: Hands) -> None:
    told = result(hands.page)  # waits for the end, and the board has changed by then
    assert hands.page.locator(".cell[data-legal]").count() == 0
    cards = hands.page.locator(".player").all()
    called = {card.get_attribute("data-side"): card.get_attribute("aria-label") for card in cards}
    names = hands.table["players"]
    labels = hands.page.eval_on_selector_all(".stage .cell", "found => found.map(cell => cell.ariaLabel)")
    owners = [{f", {name}'s", f", {called.get(name)}'s"} for name in names]  # engines are called by their own names
    cells = [sum(any(owner in label for owner in each) for label in labels) for each in owners]
    assert sum(cells) == len(hands.table["board"]["cells"])
    if len(cells) > 1:
        tally = ", ".join(f"{name} {count}" for name, count in zip(names, cells, strict=True))
        score = "-".join(map(str, sorted(cells, reverse=True)))
        best = [name for name, count in zip(names, cells, strict=True) if count == max(cells)]
        assert told.startswith((f"{best[0]} wins", f"{called[best[0]]} wins") if len(best) == 1 else "Draw")
        assert (score if len(cells) == 2 and len(best) == 1 else tally) in told


@pytest.mark.parametrize("size", [4, pytest.param(9, marks=pytest.mark.long)])
def test_subtle_against_the_engine(page: Page, server: Server, sit: Sit, size: int) -> None:
    hands = sit(page, server.table([ME, engine()], game="sparklies", options={"board": f"{size}x{size}"}, seed=5))
    play_out(hands, 1)
    assert hands.state["ply"] < 7.5 * size * size, "a turn planned anew at each of its actions goes on and on"


@pytest.mark.parametrize("size", [4, pytest.param(6, marks=pytest.mark.long)])
def test_speed_at_one_screen(page: Page, server: Server, sit: Sit, size: int) -> None:
    hands = sit(page, server.table(game="sparklies", options={"board": f"{size}x{size}", "ruleset": "speed"}, seed=5))
    play_out(hands, 1)
    assert any(event["kind"] == "captured" for event in hands.events), "chains ran"


@pytest.mark.parametrize(
    ("how", "players", "options"),
    [
        ("mouse", 3, {"board": "hex3"}),
        ("mouse", 3, {"board": "hex4"}),
        ("touch", 2, {"board": "4x4"}),
        ("touch", 3, {"board": "hex3", "ruleset": "speed"}),
        ("keys", 2, {"board": "4x4"}),
        ("keys", 2, {"board": "3x3", "mode": "duel", "setup": "blank"}),
    ],
    ids=str,
)
def test_by_mouse_touch_and_keys(
    page: Page, phone: Page, server: Server, sit: Sit, how: str, players: int, options: dict[str, Any]
) -> None:
    here, wish = phone if how == "touch" else page, {**options, "players": players}
    hands = sit(here, server.table(seats(players), game="sparklies", options=wish, seed=5), how)
    assert fits(here)
    play_out(hands, 2)


def test_a_wrapped_board_with_dead_cells(page: Page, server: Server, sit: Sit) -> None:
    options = {"board": "4x4", "wrap": True, "dead": "c3.d1"}
    hands = sit(page, server.table(game="sparklies", options=options, seed=5))
    assert (page.locator(".stage .seam").count(), page.locator('[data-cell="c3"]').count()) == (1, 0)
    play_out(hands, 3)


@pytest.mark.parametrize("size", [3, pytest.param(4, marks=pytest.mark.long)])
def test_a_duel(page: Page, server: Server, sit: Sit, size: int) -> None:
    hands = sit(page, server.table(game="sparklies", options={"board": f"{size}x{size}", "mode": "duel"}, seed=5))
    play_out(hands, 4)
    assert page.locator(".move", has_text="!").count() > 0, "cells were activated"


def test_a_solitaire(page: Page, server: Server, sit: Sit) -> None:
    options = {"board": "4x4", "ruleset": "speed", "players": 1}
    hands = sit(page, server.table([ME], game="sparklies", options=options, seed=5))
    play_out(hands, 5)
    assert result(page) == "The whole board is yours."


def test_all_that_a_turn_needs_lies_on_a_narrow_screen(meet: Meet, server: Server) -> None:
    phone = meet(viewport={"width": 360, "height": 640}, has_touch=True, is_mobile=True)
    phone.goto(server.table(game="sparklies", seed=5))
    phone.locator(".cell[data-legal]").nth(30).tap()
    phone.wait_for_selector(".confirm:not(.pending)")
    for _ in range(2):  # before a chain and in it
        for button in phone.locator(".confirm .button, .gestures .button, .pick.laid").all():
            place = box(button)
            assert 0 <= place["x"] <= 360 - place["width"]
        phone.goto(server.table(position=CHAIN))
        phone.locator(".cell[data-legal]").first.tap()
        phone.locator(".chooser button").first.tap()
        phone.wait_for_selector(".confirm:not(.pending)")
