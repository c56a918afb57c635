"""What can be asked about a position of Sparklies, how the players stand, and the Kingdom's words."""

import random
import re
from typing import Any

import pytest

import tercet
from tercet.core.presentation import position_view, table_view
from tercet.games.sparklies.findings import explore
from tercet.games.sparklies.skins import skin_art
from tercet.games.sparklies.view import AIM

STARTED = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1*g0/g0g1*r1b0/b0r0b0g0 B v 1"


def test_the_cascade_tells_every_way_the_chain_can_end() -> None:
    position = tercet.parse("sparklies/board=3x2,ruleset=subtle r1g1*b2/b0r1b0 B v 1")
    found = explore(position, "cascade", None, 50)
    assert found.complete
    gained = {line.value: line.actions for line in found.lines}
    assert 0 in gained
    assert found.lines[0].value == max(gained)
    dance = tercet.parse(STARTED)
    lines = explore(dance, "cascade", None, 5).lines
    assert 1 <= len(lines) <= 5
    for line in lines:
        after = dance
        for action in line.actions:
            after = after.play(action)
        assert after.mover == 1, "the line ends the turn"
        held = [(position.tally or ())[0] for position in (dance, after)]
        assert line.value == held[1] - held[0]


def test_danger_marks_cells_with_the_turn_that_takes_them() -> None:
    position = tercet.parse("sparklies/board=3x3,ruleset=subtle r2b0r0/g1r2b0/b0b0g0 B c 0")
    found = explore(position, "danger")
    says = {mark.cells[0]: mark.says for mark in found.marks}
    assert says["a2"].startswith("Black's a2 could be captured next turn: +")
    after = tercet.parse(str(position).replace(" B c ", " W c "))
    for action in says["a2"].rpartition(": ")[2].split():
        after = after.play(action)
    assert "a2" in {piece.cell for piece in after.game.definition.view.scene(after).pieces if piece.owner == 1}
    assert found.text.startswith("At risk: Black 1 cell, White 2 cells.")
    with pytest.raises(KeyError):
        explore(position, "luck")


def test_what_is_offered_depends_on_the_game() -> None:
    def offered(**options: Any) -> list[str]:
        game = tercet.game("sparklies", **options)
        return [one["id"] for one in table_view(game)["explorations"]]

    assert offered() == ["danger", "cascade"]
    assert offered(players=1) == ["cascade"]
    assert offered(mode="duel") == ["cascade"]


def test_standing_is_cells_held() -> None:
    assert position_view(tercet.parse(STARTED))["standing"] == [4, 0]
    assert table_view(tercet.game("sparklies"))["standing"] == "cells owned"


def test_the_kingdom_has_its_own_symbols_and_words() -> None:
    table = table_view(tercet.game("sparklies"))
    kingdom = table["skins"][0]
    assert [skin["id"] for skin in table["skins"]] == ["kingdom", "scissors", "body", "powers", "offices"]
    paths = {symbol["forms"]["symbol"]["path"] for symbol in table["art"]["symbols"]}
    for skin in table["skins"]:
        assert len({symbol["forms"]["letter"]["text"] for symbol in skin["art"]["symbols"]}) == 3
        for symbol in skin["art"]["symbols"]:
            path = symbol["forms"]["symbol"]["path"]
            assert path not in paths, "two shapes are alike"
            paths.add(path)
            numbers = [float(number) for number in re.findall(r"-?\d*\.?\d+", path)]
            assert all(-1 <= number <= 1 for number in numbers)
    assert [symbol["name"] for symbol in kingdom["art"]["symbols"]] == ["church", "farmers", "merchants"]
    assert len(kingdom["players"]) == 3
    with pytest.raises(KeyError):
        skin_art(tercet.game("sparklies"), "empire")


def told(text: str, skin: str = "kingdom") -> str:
    """``text`` in a skin's words, as the page tells it."""
    (known,) = (one["words"] for one in table_view(tercet.game("sparklies"))["skins"] if one["id"] == skin)
    words = sorted(known, key=len, reverse=True)
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(re.escape(word) for word in words) + r")(?!\w)")
    return pattern.sub(lambda match: str(known[match[0]]), text)


@pytest.mark.parametrize(
    ("skin", "circle", "stays", "ping"),
    [
        ("scissors", "scissors cut paper, paper wraps stone, stone blunts scissors.", "scissors", "sign"),
        ("body", "body takes mind, mind takes soul, soul takes body.", "body", "nature"),
    ],
)
def test_skins_that_name_the_colours_otherwise(skin: str, circle: str, stays: str, ping: str) -> None:
    position = tercet.parse("sparklies/board=3x3,ruleset=subtle r0r1b0/g0g2r0/b0r1b0 B p 0")
    assert told(position.transition("b3=R").events[0].says, skin) == f"b3 stays {stays}."
    scene = position_view(position)["scene"]
    assert told(scene["prompt"], skin) == f"Black: ping one of your cells with any {ping}."
    lines = [told(line, skin) for panel in scene["panels"] for line in panel["lines"]]
    assert told(AIM, skin) == f"Own the most cells: {circle}"
    assert not any(re.search(r"\b(red|green|blue|colour)s?\b", line, re.IGNORECASE) for line in lines)


def test_the_kingdom_s_words_make_sentences() -> None:
    position = tercet.parse("sparklies/board=3x3,ruleset=subtle r0r1b0/g0g2r0/b0r1b0 B p 0")
    assert [told(event.says) for event in position.transition("b3=R").events] == [
        "b3 stays with the church.",
        "Black wins over b2 from White.",
        "b2 asks for a visit.",
    ]
    assert told(position_view(position)["scene"]["prompt"]) == (
        "Black: visit one of your towns and assign it any party."
    )
    assert told("White wins with the most cells.") == "White wins with the most votes."


def test_the_kingdom_speaks_grammatically() -> None:
    """Whatever is said in a game, and of every attack, no colour's name is left and no town is `a farmers`."""
    wrong = re.compile(r"\b(an? (church|farmers|merchants)|won over town|Blacks|reds?|greens?|blues?)\b", re.IGNORECASE)
    said: set[str] = set()
    for options in ({}, {"ruleset": "speed"}, {"ruleset": "playtest2"}, {"attack": "2T+1P"}, {"attack": "1t"}):
        position = tercet.game("sparklies", board="4x4", **options).start(seed=1)
        chance = random.Random(5)
        while not position.is_over:
            view = position_view(position)
            scene = view["scene"]
            said |= {scene["prompt"], *(line for panel in scene["panels"] for line in panel["lines"])}
            said |= {path[2] for path in view["paths"]} | {piece["says"] for piece in scene["pieces"]}
            action = chance.choice(list(position.legal_actions))
            said |= {event.says for event in position.transition(action).events}
            position = position.play(action)
    assert [text for text in map(told, sorted(said)) if wrong.search(text)] == []
    assert told("Two of your reds beside a green (edge to edge) capture it.") == (
        "Two of your towns of the church beside a town of the farmers (edge to edge) win it over."
    )
    assert told("ping c2 as red") == "visit c2 for the church"
    assert told("c2 turns from green to red.") == "c2 turns from the farmers to the church."
