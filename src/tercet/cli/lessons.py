"""``tercet lessons``: whether lessons hold what they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console

from tercet.errors import OptionError
from tercet.games import game_definition, names
from tercet.learning.lessons import Lesson, LessonError, check, check_first_game, first_game_of, lessons_of, read_lesson


def run(words: Sequence[str]) -> int:
    """Check the lessons and first games of these games (none: of all), or the lessons in files that follow a game's
    name; the exit code is 1 where one does not hold. LessonError where one cannot be read."""
    console = Console(highlight=False)
    steps, count = 0, 0
    problems: list[LessonError] = []
    for lesson in _wanted(words):
        problems += check(lesson)
        steps += len(lesson.steps)
        count += 1
    for game in (word for word in words or names() if word in names()):
        first = first_game_of(game)
        problems += [] if first is None else check_first_game(first)
    for problem in problems:
        console.print(str(problem), markup=False)
    console.print(f"{count} lessons, {steps} steps, {len(problems)} problems")
    return 1 if problems else 0


def _wanted(words: Sequence[str]) -> Iterator[Lesson]:
    known = names()
    files = [word for word in words if word not in known]
    games = [word for word in words if word in known] or list(known)
    if not files:
        for game in games:
            yield from lessons_of(game)
        return
    if len(games) != 1:
        raise OptionError("words", f"Name the game of the files first: {', '.join(known)}.")
    for file in files:
        yield read_lesson(game_definition(games[0]), Path(file))
