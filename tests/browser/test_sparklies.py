"""Whole games of Sparklies in a real browser: every action is clicked, touched or keyed on the page."""

import random
from typing import Any

import pytest
from playwright.sync_api import Page

from .hands import Hands, Sit
from .screen import box, fits
from .seats import ME, Meet, Seat, engine, seats
from .states import CHAIN
from .table import Server, result

pytestmark = [pytest.mark.browser, pytest.mark.long]


def play_out(hands: Hands, seed: int) -> None:
    """Play to the end at random: in the end players hold all cells, and the board shows what the sentences say."""
    chance = random.Random(seed)
    while not hands.over:
        hands.play(chance.choice(hands.paths)[0])
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


@pytest.mark.parametrize(
    ("how", "chairs", "options"),
    [
        ("mouse", [ME, engine()], {"board": "4x4"}),
        ("mouse", [ME, engine()], {"board": "9x9"}),
        ("mouse", seats(2), {"board": "4x4", "ruleset": "speed"}),
        ("mouse", seats(2), {"board": "6x6", "ruleset": "speed"}),
        ("mouse", seats(2), {"board": "4x4", "wrap": True, "dead": "c3.d1"}),
        ("mouse", seats(2), {"board": "3x3", "mode": "duel"}),
        ("mouse", seats(2), {"board": "4x4", "mode": "duel"}),
        ("mouse", [ME], {"board": "4x4", "ruleset": "speed", "players": 1}),
        ("mouse", seats(3), {"board": "hex3", "players": 3}),
        ("mouse", seats(3), {"board": "hex4", "players": 3}),
        ("touch", seats(2), {"board": "4x4"}),
        ("touch", seats(3), {"board": "hex3", "ruleset": "speed", "players": 3}),
        ("keys", seats(2), {"board": "4x4"}),
        ("keys", seats(2), {"board": "3x3", "mode": "duel", "setup": "blank"}),
    ],
    ids=str,
)
def test_a_whole_game(
    page: Page, phone: Page, server: Server, sit: Sit, how: str, chairs: list[Seat], options: dict[str, Any]
) -> None:
    here = phone if how == "touch" else page
    hands = sit(here, server.table(chairs, game="sparklies", options=options, seed=5), how)
    assert fits(here)
    assert here.locator(".stage .seam").count() == ("wrap" in options)
    play_out(hands, 1)
    if engine() in chairs:
        most = 7.5 * len(hands.table["board"]["cells"])
        assert hands.state["ply"] < most, "the engine replans at each action, and its turn does not end"
    if "ruleset" in options:
        assert any(event["kind"] == "captured" for event in hands.events), "chains ran"
    if "mode" in options:
        assert here.locator(".move", has_text="!").count() > 0, "cells were activated"
    if "dead" in options:
        assert here.locator('.stage [data-cell="c3"]').count() == 0
    if chairs == [ME]:
        assert result(here) == "The whole board is yours."


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
