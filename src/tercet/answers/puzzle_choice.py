"""The puzzles of a day, and those of a run of rising difficulty, by the difficulty that their files estimate."""

from __future__ import annotations

import calendar
import datetime
import functools
import hashlib
import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tercet

__all__ = ["days_of_month", "easiest_rating", "puzzles_of_days", "run"]

MAX_DAILY_CELLS = 120  # of a board that a phone shows well
DAYS_KEPT = 400  # for so long a day keeps its puzzle
RUN_LENGTH = 40
MIN_PUZZLES = 7  # of a game; with fewer all of them take part in each choice

Puzzle = Mapping[str, Any]


def easiest_rating(puzzles: Iterable[Puzzle], game: str) -> float:
    """Return the rating of the easiest puzzle of ``game``; 1500 if it has none."""
    return float(min((puzzle["rating"] for puzzle in puzzles if puzzle["game"] == game), default=1500))


def days_of_month(day: datetime.date, today: datetime.date) -> list[datetime.date]:
    """Return the days of the month of ``day`` that have a puzzle: from :data:`DAYS_KEPT` days ago to today."""
    number = calendar.monthrange(day.year, day.month)[1]
    days = (day.replace(day=one) for one in range(1, number + 1))
    return [one for one in days if 0 <= (today - one).days <= DAYS_KEPT]


def puzzles_of_days(puzzles: Iterable[Puzzle], game: str, days: Sequence[datetime.date]) -> list[str]:
    """Return the id of the puzzle of each day, the same for everybody. They are of the easier half, on boards that fit
    a phone: the easiest on Mondays, harder every day of the week. A puzzle comes again once all of its weekday have
    been there. Empty if the game has no puzzles."""
    listed = [puzzle for puzzle in puzzles if puzzle["game"] == game]
    small = [puzzle for puzzle in listed if _cells(game, tuple(puzzle["options"].items())) <= MAX_DAILY_CELLS]
    chosen = sorted(small or listed, key=lambda puzzle: (puzzle["rating"], puzzle["id"]))
    easy = chosen[: max(MIN_PUZZLES, len(chosen) // 2)]
    by_weekday = [
        sorted((puzzle["id"] for puzzle in part), key=lambda ident: hashlib.sha256(ident.encode()).digest())
        for part in _slices(easy, MIN_PUZZLES)
    ]
    found = []
    for day in days if easy else ():
        part = by_weekday[day.weekday()]
        found.append(part[day.toordinal() // 7 % len(part)])
    return found


def run(puzzles: Iterable[Puzzle], game: str, chance: random.Random) -> list[str]:
    """Return the ids of :data:`RUN_LENGTH` puzzles of ``game`` (fewer if it has fewer), from easy to hard."""
    listed = sorted(
        (one for one in puzzles if one["game"] == game), key=lambda puzzle: (puzzle["rating"], puzzle["id"])
    )
    return [str(chance.choice(part)["id"]) for part in _slices(listed, min(RUN_LENGTH, len(listed)))]


def _slices(listed: Sequence[Puzzle], count: int) -> list[Sequence[Puzzle]]:
    """Return ``count`` parts of a list, one after another and about as long, none of them empty; neighbours share a
    puzzle where there are too few."""
    if not listed:
        return []
    edges = [number * len(listed) // count for number in range(count + 1)]
    return [listed[low : max(high, low + 1)] for low, high in itertools.pairwise(edges)]


@functools.cache
def _cells(game: str, options: tuple[tuple[str, Any], ...]) -> int:
    return len(tercet.game(game, **dict(options)).board)
