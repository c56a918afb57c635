"""Check what a lesson promises: every solution reaches its goal, every refutation works, every claim is true."""

from __future__ import annotations

from collections.abc import Sequence

from tercet.errors import TercetError
from tercet.learning.lessons.attempts import AttemptResult, answer, begin
from tercet.learning.lessons.errors import LessonError
from tercet.learning.lessons.lesson import Lesson, LessonStep, Mistake, Situation, unproved_claims

__all__ = ["check"]


def check(lesson: Lesson) -> list[LessonError]:
    """Return the errors of a lesson, or an empty list."""
    found: list[LessonError] = []
    for number, step in enumerate(lesson.steps, 1):
        for part, problems in (
            ("goal", _goal),
            ("aim", _aim),
            ("solution", _solution),
            ("also", _also),
            ("wrong", _wrong),
            ("claim", _claims),
        ):
            try:
                whys = problems(step)
            except (TercetError, ValueError, TypeError, KeyError) as error:
                whys = [str(error)]
            found += [LessonError(lesson.file, f"step {number}, {part}", why) for why in whys]
    return found


def _play(step: LessonStep, actions: Sequence[str]) -> AttemptResult:
    """Play the learner's actions one after another, with the replies, and return the result."""
    found = answer(step, (), ())
    for action in actions:
        found = answer(step, [one.text for one in found.situation.played], [action])
    return found


def _goal(step: LessonStep) -> list[str]:
    """The goal is not reached before anything is done."""
    return ["holds before anything is played"] if step.goal(begin(step)) else []


def _aim(step: LessonStep) -> list[str]:
    """The goal is reached in the position that is drawn."""
    drawn = step.aim is None or step.goal(Situation(step.player, step.aim))
    return [] if drawn else ["the goal is not reached in the position that is drawn"]


def _solution(step: LessonStep) -> list[str]:
    if not step.solution:
        return ["is empty"]
    found = _play(step, step.solution)
    return [] if found.state == "reached" else [f"does not reach the goal: {found.state} {found.says}".strip()]


def _also(step: LessonStep) -> list[str]:
    return [f"{action} does not reach the goal" for action in step.also if _play(step, (action,)).state != "reached"]


def _wrong(step: LessonStep) -> list[str]:
    """Each wrong try fails for the reason that is given, and what it leads to is legal and shows what it should."""
    found: list[str] = []
    for number, wrong in enumerate(step.wrong, 1):
        tries = list(wrong.tries) or _fitting(step, wrong)
        if not tries:
            found.append(f"{number}: no action fits `when` and misses the goal")
        for action in tries:
            missed = _play(step, action.split())
            if missed.state == "reached":
                found.append(f"{number}: {action} reaches the goal")
            elif missed.says != wrong.says:
                found.append(f"{number}: {action} is answered otherwise: {missed.says}")
            elif wrong.play:
                found += [f"{number}: after {action}, {why}" for why in _refutes(missed.situation, wrong)]
    return found


def _fitting(step: LessonStep, wrong: Mistake) -> list[str]:
    """One action that is a turn and fits what a wrong try is described by, if there is one."""
    for action in step.position.legal_actions:
        situation = begin(step).then(str(action))
        if situation.played[-1].ends_turn and wrong.fits(situation) and not step.goal(situation):
            return [str(action)]
    return []


def _refutes(situation: Situation, wrong: Mistake) -> list[str]:
    for action in wrong.play:
        situation = situation.then(action)
    if wrong.shows is not None:
        return [] if wrong.shows(situation) else [f"{' '.join(wrong.play)} does not show it"]
    outcome = situation.position.outcome
    lost = outcome is not None and situation.player not in outcome.winners
    return [] if lost else [f"{' '.join(wrong.play)} is no loss; say what it `shows`"]


def _claims(step: LessonStep) -> list[str]:
    return unproved_claims(step.position, step.claims)
