"""The search for proofs finds what trying everything by hand finds, in a game small enough for it."""

import pytest

import tercet
from tercet import Position
from tercet.core.proofs import Claim, Solved, TooMuch, depth, longest, solved, walk, whole_turns

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


def test_whole_turns_are_all_ways_to_play_one() -> None:
    position = tercet.parse("sparklies/board=3x3,ruleset=speed r1g0b0/g0r0g0/b0g0r0 B c 0")
    found = list(whole_turns(position, 1_000))
    assert all(not turn.after.turn_is_open or turn.after.is_over for turn in found)
    assert len({turn.actions for turn in found}) == len(found)
    assert {turn.actions[0] for turn in found} == {str(action) for action in position.legal_actions}
    for turn in found:
        after = position
        for action in turn.actions:
            after = after.play(action)
        assert after == turn.after
    assert {len(turn.actions) for turn in whole_turns(position, 1_000, longest=1)} == {1}
    with pytest.raises(TooMuch):
        list(whole_turns(position, 5))
