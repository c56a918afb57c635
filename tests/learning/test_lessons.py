"""Every lesson holds what it says: its solutions reach their goals, its refutations work, its claims are true."""

import pytest

import tercet
from tercet.games import game_definition
from tercet.learning.lessons import Lesson, answer, check, lessons_of
from tercet.learning.lessons.attempts import turns
from tests.support.division import thorough_but

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


CANNOT_GO_WRONG = {"A handicap", "The duel"}  # whatever the learner plays there reaches the goal


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: f"{lesson.game}-{lesson.id}")
def test_a_step_of_several_turns_says_what_is_wrong_at_once(lesson: Lesson) -> None:
    assert [step.title for step in lesson.steps if step.turns > 1 and not step.wrong] == [
        step.title for step in lesson.steps if step.title in CANNOT_GO_WRONG and step.turns > 1
    ]


@pytest.mark.parametrize(
    "lesson",
    thorough_but(lambda lesson: lesson.id not in ("variants", "traps"), LESSONS),  # whose turns are many
    ids=lambda lesson: f"{lesson.game}-{lesson.id}",
)
def test_each_first_turn_of_two_is_answered_or_leaves_the_goal_in_reach(lesson: Lesson) -> None:
    """An idle turn is called wrong at once, and if it lets the others win, that is shown."""
    for step in (step for step in lesson.steps if step.turns == 2):
        for turn in list(turns(step.position))[::3]:
            found = answer(step, (), turn.actions)
            if found.state == "missed" or turn.after.turn_is_open:
                assert found.says or found.state == "going"
                continue
            moves = [one.text for one in found.situation.played]
            assert found.state == "reached" or any(
                answer(step, moves, last.actions).state == "reached" for last in turns(found.situation.position)
            ), (step.title, turn.actions)


def test_three_turns_of_the_solitaire_are_too_few_after_a_wrong_first_turn() -> None:
    def wins_in(position: tercet.Position, most: int) -> bool:
        if position.is_over or most == 0:
            return position.is_over
        return any(wins_in(turn.after, most - 1) for turn in turns(position))

    (step,) = (step for lesson in LESSONS for step in lesson.steps if step.title == "Three turns")
    slow = {" ".join(turn.actions) for turn in turns(step.position) if not wins_in(turn.after, 2)}
    (wrong,) = step.wrong
    assert set(wrong.tries) < slow
    assert " ".join(step.solution[:2]) not in slow
    for one in wrong.tries:
        assert answer(step, (), one.split()).says == wrong.says
    assert answer(step, (), step.solution[:2]).state == "going"
