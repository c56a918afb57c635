"""SanQi's lessons accept every good answer that the designer's article names, not only the shortest."""

from __future__ import annotations

import pytest

from tercet.lessons import lessons_of
from tercet.lessons.attempts import answer

GOOD = [
    ("blocks", "Three cells away", "Ye7 Yg7 Yf5 Rg6 Bh6 Rg7 Bh5"),
    ("blocks", "Same kind beside the gap", "Yg7 Yh5"),
    ("blocks", "A strong block", "Rg7 Bg7 Rh5 Bh5"),
    ("attacks", "A supported piece: Second", "Rc6 Rd6 Rg6 Rh6"),
    ("attacks", "In the way of the ring", "Re7 Rf5"),
    ("traps", "Three of a ring", "Re5 Rd7 Rf6"),
    ("tips", "The other two kinds", "Be6 Bg6 Rg6"),
]
BAD = [
    ("blocks", "Three cells away", "Ya6 Bk1"),
    ("blocks", "The initiative", "Yh5 Yi5"),
    ("rings", "Leave the middle until last", "Be5 Ya6"),
    ("tips", "Territory", "Bf5 Bf4"),
]


@pytest.mark.parametrize(
    ("lesson", "title", "actions", "state"),
    [*((*one, "reached") for one in GOOD), *((*one, "missed") for one in BAD)],
)
def test_good_answers_are_accepted_and_bad_ones_refused(lesson: str, title: str, actions: str, state: str) -> None:
    steps = {step.title: step for one in lessons_of("sanqi") if one.id == lesson for step in one.steps}
    found = {action: answer(steps[title], (), (action,)).state for action in actions.split()}
    assert found == dict.fromkeys(actions.split(), state)
