"""A game at one screen, by what people press: every action can be entered, refusals give their reason."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import tercet
from tercet.browser.desk import Desk, offered
from tercet.game import Game
from tercet.games import game_definition

PER_GAME = pytest.mark.parametrize("name", ["sanqi", "triplicity", "sparklies"])


def played(desk: Desk, position: tercet.Position, action: str) -> dict[str, Any]:
    """The view after one has entered ``action`` as its path says."""
    (path,) = [path for path in position.game.definition.view.paths(position) if path.action == action]
    held = {pick["step"] for pick in json.loads(desk.view())["picks"] if pick["chosen"]}
    for step in path.steps:
        if step not in held:
            desk.press(step)
    found: dict[str, Any] = json.loads(desk.view())
    return found


@PER_GAME
def test_every_kind_of_action_can_be_entered(name: str) -> None:
    desk, chance = Desk("compiled"), random.Random(2)
    position = Game(game_definition(name), {}, "compiled").start(0)
    view = json.loads(desk.open(name))
    for ply in range(40):
        if position.is_over:
            break
        action = str(chance.choice(list(position.legal_actions)))
        view = played(desk, position, action)
        position = position.play(action)
        assert len(view["moves"]) == ply + 1, f"{action} was not played: {view['prompt']}"
        assert view["position"] == str(position)


@PER_GAME
def test_engines_reply_and_actions_are_taken_back(name: str) -> None:
    desk = Desk("compiled")
    levels = [0] + [1] * (len(Game(game_definition(name), {}, "compiled").players) - 1)
    view = json.loads(desk.open(name, levels=levels))
    position = Game(game_definition(name), {}, "compiled").start(0)
    while not view["thinking"]:
        action = str(position.legal_actions[0])
        view = played(desk, position, action)
        position = position.play(action)
    while view["thinking"]:
        view = json.loads(desk.reply())
    before = view["moves"]
    view = json.loads(desk.undo())
    assert len(view["moves"]) < len(before)
    assert not view["thinking"]


@PER_GAME
def test_a_saved_game_goes_on(name: str) -> None:
    desk = Desk("compiled")
    desk.open(name, seed=3)
    position = Game(game_definition(name), {}, "compiled").start(3)
    view = played(desk, position, str(position.legal_actions[0]))
    again = json.loads(Desk("compiled").load(desk.save()))
    for part in ("position", "moves", "players", "svg"):
        assert again[part] == view[part]


def test_a_damaged_saved_game_is_refused() -> None:
    with pytest.raises(ValueError, match="The saved game is damaged"):
        Desk("compiled").load('{"game": "sanqi"}')


def test_a_refusal_gives_the_rule() -> None:
    desk = Desk("compiled")
    desk.open("triplicity")
    view = json.loads(desk.press("g7"))
    assert not view["moves"]


def test_what_is_offered_can_be_opened() -> None:
    for game in json.loads(offered()):
        for way in game["ways"]:
            view = json.loads(Desk("compiled").open(game["name"], json.dumps(way["options"])))
            assert view["svg"].startswith("<svg")
