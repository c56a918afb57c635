"""Lessons: steps that are done on the board, as data. A game that declares
:class:`~tercet.core.abilities.knowledge.LessonParts` has a folder of them; nothing here knows a rule or a game.

A lesson is a TOML file (``docs/lessons.md`` says how to write one), read by :func:`lessons_of`. Each step has a
position, a text, a goal and a solution. A goal is a predicate over the position and what happened on the way
(`lessons.goals`), so all right answers count. :func:`answer` says what a try leads to, and :func:`check`
plays every solution, every refutation and every claim of a lesson.

A game may also guide a newcomer through a first game (:mod:`tercet.learning.lessons.reading`).
"""

from tercet.learning.lessons.attempts import AttemptResult, answer, check
from tercet.learning.lessons.lesson import Lesson, LessonError, LessonStep, PlayedTransition, Situation
from tercet.learning.lessons.reading import (
    Tip,
    check_first_game,
    first_game_of,
    learned_ideas,
    lessons_of,
    next_idea,
    read_lesson,
)

__all__ = [
    "AttemptResult",
    "Lesson",
    "LessonError",
    "LessonStep",
    "PlayedTransition",
    "Situation",
    "Tip",
    "answer",
    "check",
    "check_first_game",
    "first_game_of",
    "learned_ideas",
    "lessons_of",
    "next_idea",
    "read_lesson",
]
