"""SanQi's lessons accept every good answer that the designer's article names, not only the shortest."""

import pytest

from tercet.learning.lessons import answer, lessons_of
from tests.support.present import present

STEPS = {(lesson.id, step.title): step for lesson in lessons_of("sanqi") for step in lesson.steps}
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
    ("lesson", "title", "actions", "state"), [*((*one, "reached") for one in GOOD), *((*one, "missed") for one in BAD)]
)
def test_good_answers_are_accepted_and_bad_ones_refused(lesson: str, title: str, actions: str, state: str) -> None:
    found = {action: answer(STEPS[lesson, title], (), (action,)).state for action in actions.split()}
    assert found == dict.fromkeys(actions.split(), state)


IDLE = [
    ("traps", "Beside the ring", "Ra9 Bi1", "First"),
    ("traps", "First's trap against a line", "Ra6 Yb8", "Second"),
    ("traps", "The other trap against a line", "Ra6 Yb8", "Second"),
    ("rings", "Two rings at once", "Yi1 Rb9", "First"),
    ("rings", "Replace your own blocker", "Ra9 Bd3 Yf1", "First"),
    ("blocks", "The initiative", "Ra11 Bb11", "Second"),
    ("pivots", "Unequal rows", "Ra11 Bb11", "First"),
]


@pytest.mark.parametrize(("lesson", "title", "actions", "winner"), IDLE)
def test_an_idle_move_is_answered_by_the_win_that_it_allows(lesson: str, title: str, actions: str, winner: str) -> None:
    for action in actions.split():
        found = answer(STEPS[lesson, title], (), (action,))
        assert (found.state, len(found.played)) == ("missed", 1)
        position, moves = found.situation.position, present(found.refutation).actions
        for move in moves:
            position = position.play(move)
        assert [position.game.players[seat] for seat in present(position.outcome).winners] == [winner]
        assert found.says.startswith(f"Now {winner} wins by force, beginning with {moves[0]}.")
