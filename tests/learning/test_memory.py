"""The memory of a motif, beside what py-fsrs 6.3.2 computes, and what any memory should keep."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet.learning.puzzles.memory import AIM, MIN_REVIEWS, MotifMemory, remembered
from tests.support.present import present

TRIES = st.lists(st.tuples(st.integers(0, 400), st.booleans()), min_size=1, max_size=30)


def memory_of(gaps: list[tuple[int, bool]]) -> MotifMemory:
    """Return the memory after tries that so many days lie between."""
    day, tries = 0, []
    for gap, right in gaps:
        day += gap
        tries.append((day, right))
    return present(remembered(tries)[0])


# Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False).review_card on these days, with Good or Again
PUBLISHED = [
    (0, True, 2.3065, 2.118104, 2),
    (2, True, 10.964332, 2.111214, 13),
    (2, False, 3.325286, 7.392238, 5),
    (3, True, 5.34179, 7.380074, 8),
    (5, True, 8.972863, 7.367923, 14),
    (20, False, 1.370561, 9.120082, 21),
    (21, True, 2.413601, 9.106191, 23),
]


def test_the_values_are_those_of_the_library() -> None:
    for number in range(1, len(PUBLISHED) + 1):
        memory = present(remembered((day, right) for day, right, *_ in PUBLISHED[:number])[0])
        _, _, stability, difficulty, due = PUBLISHED[number - 1]
        assert [memory.stability, memory.difficulty] == pytest.approx([stability, difficulty])
        assert memory.due == due


@given(TRIES, st.integers(0, 400))
def test_a_right_try_brings_a_motif_back_later_than_a_wrong_one(tries: list[tuple[int, bool]], gap: int) -> None:
    memory = memory_of(tries)
    day = memory.day + gap
    right, wrong = memory.after(True, day), memory.after(False, day)
    assert right.due >= wrong.due > day
    assert right.stability >= wrong.stability > 0
    assert right.difficulty <= wrong.difficulty
    assert right.stability >= memory.stability >= wrong.stability


@given(TRIES, st.integers(0, 4000))
def test_recall_falls_with_time_and_a_motif_is_due_at_the_aim(tries: list[tuple[int, bool]], days: int) -> None:
    memory = memory_of(tries)
    day = memory.day + days
    assert 0 < memory.recall(day + 1) < memory.recall(day) <= 1
    assert memory.recall(memory.day) == 1
    assert memory.recall(memory.due + 1) < AIM
    assert 1 <= memory.difficulty <= 10
    assert not memory.holds(day) or day < memory.due


@given(st.integers(MIN_REVIEWS, 20))
def test_a_motif_holds_once_it_is_seen_often_enough_and_not_after_a_miss(count: int) -> None:
    memory = memory_of([(3, True)] * count)
    assert memory.holds(memory.day)
    assert not memory.after(False, memory.day + 3).holds(memory.day + 3)
    assert not memory_of([(3, True)] * (MIN_REVIEWS - 1)).holds(0)
    assert not memory_of([(0, False)] * count).holds(0)


@given(TRIES)
def test_each_try_but_the_first_is_a_review_with_what_was_expected(tries: list[tuple[int, bool]]) -> None:
    ordered = sorted(tries)
    memory, reviews = remembered(ordered)
    assert present(memory).reviews == len(reviews) + 1 == len(tries)
    assert [review.right for review in reviews] == [right for _, right in ordered[1:]]
    days = [day for day, _ in ordered]
    assert [review.days for review in reviews] == [after - before for before, after in itertools.pairwise(days)]
    assert remembered([]) == (None, [])
