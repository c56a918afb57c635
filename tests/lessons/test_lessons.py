"""Every lesson holds what it says: its solutions reach their goals, its refutations work, its claims are true."""

from __future__ import annotations

import pytest

import tercet
from tercet.games import game_definition
from tercet.lessons import Lesson, check, lessons_of

LESSONS = [lesson for game in tercet.games() for lesson in lessons_of(game)]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: f"{lesson.game}-{lesson.id}")
def test_a_lesson_holds(lesson: Lesson) -> None:
    assert [str(error) for error in check(lesson)] == []


@pytest.mark.parametrize("game", [game for game in tercet.games() if game_definition(game).lessons])
def test_lessons_have_names_of_their_own(game: str) -> None:
    lessons = lessons_of(game)
    assert lessons
    assert len({lesson.id for lesson in lessons}) == len({lesson.title for lesson in lessons}) == len(lessons)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: f"{lesson.game}-{lesson.id}")
def test_a_goal_asks_for_something(lesson: Lesson) -> None:
    """What is already so in the position, or after no action at all, is no goal."""
    for step in lesson.steps:
        assert step.task.endswith((".", "!", "?"))
        assert step.solution
