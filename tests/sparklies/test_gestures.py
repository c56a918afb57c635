"""The quadrille and `deactivate everything` as gestures: what is offered is what the kernels play."""

import random
from itertools import permutations
from typing import Any

import pytest

import tercet
from tercet import Position, testing
from tercet.core.presentation import position_view
from tercet.core.view import Gesture
from tercet.games.sparklies.gestures import blocks, gestures
from tests.support.play import play

HARLEQUIN = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"
# Black's harlequins share a column of two: six cells, each two colours in a chequered pattern.
AREA = "sparklies/board=3x2,ruleset=subtle r1*g1r1*/g1r1*g1 B v 1"


def spots(position: Position) -> list[Gesture]:
    return [gesture for gesture in gestures(position) if gesture.trigger == "spot"]


def make(position: Position, gesture: Gesture) -> Position:
    return play(position, *gesture.actions)


def active(position: Position) -> set[str]:
    return {piece.cell for piece in position.game.definition.view.scene(position).pieces if "active" in piece.flags}


def test_a_harlequin_is_danced_as_often_as_wanted() -> None:
    position = tercet.parse(HARLEQUIN)
    (begun,) = spots(position)
    assert begun.cells == ("b3", "c3", "b2", "c2")
    assert begun.actions == ("b3=R",)
    assert position_view(position)["gestures"][0]["trigger"] == "spot"
    assert position_view(position, paths=False)["gestures"] == []
    position = make(position, begun)
    assert active(position) == {"c3", "b2"}
    seen = []
    for _ in range(6):
        (step,) = spots(position)
        assert (set(step.cells), len(step.actions)) == ({"b3", "c3", "b2", "c2"}, 2)
        position = make(position, step)
        assert active(position) == {"b3", "c3", "b2", "c2"} - {action[:2] for action in step.actions}
        seen.append(str(position).split()[1])
    assert len(set(seen)) == 6  # the pair of colours goes through all six states
    (again,) = spots(position)
    assert str(make(position, again)).split()[1] == seen[0]


def test_the_dance_begins_on_either_cell_of_the_diagonal_that_takes_the_other() -> None:
    for one, two in permutations("rgb", 2):
        position = tercet.parse(f"sparklies/board=2x2,ruleset=subtle {one}1{two}1/{two}1{one}1 B p 0")
        (begun,) = spots(position)
        assert (len(begun.actions), len(active(make(position, begun)))) == (1, 2)


def area_of(position: Position) -> Gesture:
    (area,) = (gesture for gesture in spots(position) if gesture.title == "Quadrille over the whole area")
    return area


def test_blocks_that_hang_together_step_as_one_area_or_alone() -> None:
    position = tercet.parse(AREA)
    step = area_of(position)
    assert set(step.cells) == {"a1", "b1", "c1", "a2", "b2", "c2"}
    assert [action[:2] for action in step.actions] == ["a2", "c2", "b1"]
    after = make(position, step)
    assert active(after) == {"b2", "a1", "c1"}
    assert [action[:2] for action in area_of(after).actions] == ["b2", "a1", "c1"]
    blocks = [gesture for gesture in spots(position) if gesture.title == "Quadrille"]
    assert [set(gesture.cells) for gesture in blocks] == [{"a1", "b1", "a2", "b2"}, {"b1", "c1", "b2", "c2"}]
    after = make(position, blocks[0])
    assert [action[:2] for action in blocks[0].actions] == ["a2", "b1"]
    assert {"a1", "b2", "c2"} <= active(after), "c2, which is the other block's, has not been resolved"
    assert {"a1", "b1", "a2", "b2"} in [set(gesture.cells) for gesture in spots(after)], "and the dance goes on"


def test_an_area_is_stepped_on_a_cell_that_stands_for_no_block_alone() -> None:
    """By the keyboard a cell makes the nearest step: a block's own is that of its last cell, the one below right."""
    rows = "/".join("r1*g1r1*g1" if row % 2 == 0 else "g1r1*g1r1*" for row in range(4))
    position = tercet.parse(f"sparklies/board=4x4,ruleset=subtle {rows} B v 1")
    area = area_of(position)
    singles = [gesture for gesture in spots(position) if gesture != area]
    assert len(singles) == 9
    assert area.at in area.cells
    assert area.at not in {gesture.cells[-1] for gesture in singles}


def test_the_designers_demonstration_dances_one_block_of_an_area_until_c4_is_gained() -> None:
    """The turn that they describe beside their save game, in their names of cells (rows from the top)."""
    save = "2:9:2:4:1:001221066101001266110220222121020122043540202243534100245350200133531220245350221:3"
    position = play(save, "+e7", "e7=G", "e6=B", "d6=G")
    block = {"d7", "e7", "d6", "e6"}  # theirs are d3, e3, d4 and e4
    steps = 0
    while "c6=R" not in position.legal_actions:
        (step,) = (gesture for gesture in spots(position) if set(gesture.cells) == block)
        position = make(position, step)
        steps += 1
    assert steps < 6, "the pair of colours has six states"


def test_where_only_a_part_is_active_the_block_is_stepped() -> None:
    position = tercet.parse("sparklies/board=3x2,ruleset=subtle r1*g1r1/g1r1*g1 B v 1")
    whole, *others = spots(position)
    assert not [gesture for gesture in (whole, *others) if "area" in gesture.title and "c2" in str(gesture.actions)]
    assert make(position, whole)


@pytest.mark.parametrize(
    "text",
    [
        "sparklies/board=2x2,ruleset=subtle r1g2/g1r1 B p 0",  # one cell is another's
        "sparklies/board=2x2,ruleset=subtle r1g1/b1r1 B p 0",  # three colours
        "sparklies/board=2x2,ruleset=subtle r1r1/r1r1 B p 0",  # one colour
        "sparklies/board=2x2,ruleset=speed r1g1/g1r0 B p 0",  # a chain of Speed is one ping
        "sparklies/board=2x2,ruleset=subtle,mode=duel r1*g1/g1r1* B d 0",
    ],
)
def test_no_dance_where_there_is_no_harlequin_or_no_turn_to_dance_in(text: str) -> None:
    assert spots(tercet.parse(text)) == []


def test_deactivate_everything_is_a_button_while_something_is_active() -> None:
    position = tercet.parse(HARLEQUIN)
    assert all(gesture.id != "deactivate" for gesture in gestures(position))
    position = position.play("b3=R")
    (button,) = (gesture for gesture in gestures(position) if gesture.trigger == "button")
    assert button.actions == ("c3=G", "b2=G")
    assert button.says == "all colours stay as they are", "a newcomer knows no pings yet"
    after = make(position, button)
    assert (active(after), after.mover) == (set(), 1)


def test_blocks_of_boards() -> None:
    assert len(blocks(tercet.game("sparklies", board="9x9").board)) == 64
    assert len(blocks(tercet.game("sparklies", board="4x4", wrap=True).board)) == 16
    assert len(blocks(tercet.game("sparklies", board="3x3", dead="b2").board)) == 0
    assert len(blocks(tercet.game("sparklies", board="hex4", players=3).board)) == 0


@pytest.mark.parametrize(
    "options", [{"board": "5x5"}, {"board": "4x4", "wrap": True}, {"board": "4x4", "attack": "2O"}]
)
def test_gestures_of_random_games_can_be_made(options: dict[str, Any]) -> None:
    rng = random.Random(8)
    danced = 0
    for seed in range(12):
        position = tercet.game("sparklies", **options).start(seed)
        while not position.is_over:
            found = gestures(position)
            testing.check_gestures(position)
            danced += any(gesture.trigger == "spot" for gesture in found)
            if found and rng.random() < 0.5:
                position = make(position, rng.choice(found))
            else:
                position = position.play(rng.choice(position.legal_actions))
    assert danced
