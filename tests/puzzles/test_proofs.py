"""The search for proofs finds what trying everything by hand finds, in a game small enough for it."""

from __future__ import annotations

import tercet
from tercet import Position
from tercet.proofs import Claim, Solved, depth, longest, solved, walk

RING = "sanqi/4 4/5/2RR2/2R1R2/3R2/5/4 F -"


def test_a_win_in_one_has_exactly_its_first_actions() -> None:
    position = tercet.parse(RING)
    found = solved(position, Claim((0,), {"win": True}, 1), most=3, budget=10_000)
    wins = [str(action) for action in position.legal_actions if position.play(action).is_over]
    assert isinstance(found, Solved)
    assert list(found.right) == wins
    assert found.wrong == {"*": None}


def test_the_defender_is_asked_too() -> None:
    position = tercet.parse(RING.replace(" F ", " S "))
    found = solved(position, Claim((0,), {"win": True}, 1), most=300, budget=200_000)
    assert found is not None

    def stops(after: Position) -> bool:
        return not any(after.play(action).is_over for action in after.legal_actions)

    assert set(found.right) == {str(action) for action in position.legal_actions if stops(position.play(action))}


def test_the_main_line_is_the_longest() -> None:
    position = tercet.parse("sanqi/4 4/5/6/3R3/6/5/4 S -")
    tree = {"Ra1 Rb1": ["Ye4"], "Rc1": ["Ye4", {"*": ["Yd5"]}], "*": ["Ye4"]}
    assert longest(position, tree) == ("Rc1", ["Ye4", {"*": ["Yd5"]}])
    assert depth(tree) == 2
    ring = tercet.parse(RING)
    steps = list(walk(ring, Claim((0,), {"win": True}, 1), "Rd3", None))
    assert [step.reached for step in steps] == [True]
