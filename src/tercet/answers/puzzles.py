"""Puzzles: those that come with the games, those of a day and of a run, one to solve, and what comes of a try."""

from __future__ import annotations

import datetime
import functools
import random
from collections.abc import Mapping, Sequence
from typing import Any

import tercet
from tercet.answers.errors import AnswerError
from tercet.answers.lessons import frames
from tercet.answers.puzzle_attempts import Attempt, attempt, solution
from tercet.answers.puzzle_choice import days_of_month, easiest_rating, puzzles_of_days, run
from tercet.core.presentation import position_view, table_view
from tercet.games import game_definition
from tercet.learning.puzzles import read, shipped
from tercet.play.ratings import Glicko

__all__ = [
    "DAY_SECONDS",
    "MAX_HISTORY_LINES",
    "NEAR_PUZZLES",
    "all_puzzles",
    "beginner_rating",
    "daily_puzzle",
    "due_again",
    "known_puzzle",
    "month_data",
    "new_rating",
    "puzzle_data",
    "puzzle_days",
    "puzzle_run",
    "puzzle_solution",
    "puzzle_tried",
    "standing_data",
    "tried_again",
]

DAY_SECONDS = 86_400.0
REPEAT_DAYS = (3.0, 7.0, 21.0)  # until a failed puzzle comes back, after the first failure, the second ...
NEW_DEVIATION = 200.0  # of a new puzzle, and of a person who begins
NEAR_PUZZLES = 15  # of about the right difficulty, of which chance takes one
MAX_HISTORY_LINES = 200


@functools.cache
def all_puzzles() -> dict[str, dict[str, Any]]:
    """Return the puzzles that come with the games, by id."""
    return {puzzle["id"]: puzzle for name in tercet.games() for path in shipped(name) for puzzle in read(path)}


def known_puzzle(ident: str) -> dict[str, Any]:
    """Return the puzzle of that id. Raise AnswerError if there is none."""
    found = all_puzzles().get(ident)
    if found is None:
        raise AnswerError("not-found", "puzzle", "This puzzle does not exist.")
    return found


def _games() -> list[str]:
    there = {puzzle["game"] for puzzle in all_puzzles().values()}
    return [name for name in tercet.games() if name in there]


def daily_puzzle(game: str, day: datetime.date, today: datetime.date) -> str:
    """Return the id of the puzzle of that day, of one game or (empty) of all by turns. Raise AnswerError if the game
    has no puzzles, or the day, as of ``today``, has none."""
    if day not in days_of_month(day, today):
        raise AnswerError("not-found", "day", "This day has no puzzle.")
    games = _games()
    wanted = game or (games[day.toordinal() % len(games)] if games else "")
    found = puzzles_of_days(all_puzzles().values(), wanted, [day])
    if not found:
        raise AnswerError("not-found", "game", "This game has no puzzles.")
    return found[0]


def puzzle_days(month: datetime.date, today: datetime.date) -> dict[str, dict[datetime.date, str]]:
    """Return the daily puzzles of the month of a day as of ``today``: by game, the id of each day's puzzle."""
    days = days_of_month(month, today)
    puzzles = all_puzzles().values()
    return {game: dict(zip(days, puzzles_of_days(puzzles, game, days), strict=True)) for game in _games()}


def month_data(
    chosen: Mapping[str, Mapping[datetime.date, str]], tried: Mapping[str, bool], today: datetime.date
) -> dict[str, Any]:
    """Return the daily puzzles ``chosen`` for a month; ``tried`` says by id which were right at the first try."""
    games = [
        {
            "game": name,
            "title": game_definition(name).title,
            "days": [{"day": day.isoformat(), "right": tried.get(ident)} for day, ident in found.items()],
        }
        for name, found in chosen.items()
    ]
    return {"today": today.isoformat(), "games": games}


def puzzle_run(game: str) -> list[str]:
    """Return ids of puzzles of a game to solve one after another, from easy to hard: other ones each time. Raise
    AnswerError if it has none."""
    found = run(all_puzzles().values(), game, random.Random())
    if not found:
        raise AnswerError("not-found", "game", "This game has no puzzles.")
    return found


def puzzle_data(
    ident: str, *, rating: float, tries: int, again: bool, settled: bool, day: datetime.date | None = None
) -> dict[str, Any]:
    """Return a puzzle to solve, with its ``rating`` after so many ``tries``; ``again``: its solver failed it before and
    it is due; ``settled``: they have tried it before; ``day``: whose puzzle it was asked for as."""
    found = known_puzzle(ident)
    position = tercet.parse(found["position"])
    puzzles = position.game.definition.puzzles
    return {
        "id": ident,
        "game": found["game"],
        "task": found["task"],
        "player": found["mover"],
        "turns": found["turns"],
        "rating": round(rating),
        "tries": tries,
        "again": again,
        "settled": settled,
        "day": None if day is None else day.isoformat(),
        "options": [] if puzzles is None else list(puzzles.named_options),
        "table": table_view(position.game),
        "view": position_view(position),
    }


def puzzle_tried(ident: str, moves: Sequence[str], actions: Sequence[str]) -> dict[str, Any]:
    """Return what comes of the solver's ``actions`` after ``moves``. Of a decided puzzle (``state`` right or wrong) the
    tags are shown too; the solver's standing and its change are for the caller to fill in."""
    puzzle = known_puzzle(ident)
    return _answered(puzzle, attempt(puzzle, moves, actions))


def puzzle_solution(ident: str) -> dict[str, Any]:
    """Return a way to solve the puzzle, as the frames of a try that is wrong: the solver has given up."""
    puzzle = known_puzzle(ident)
    return _answered(puzzle, Attempt("wrong", solution(puzzle)))


def _answered(puzzle: dict[str, Any], done: Attempt) -> dict[str, Any]:
    tags = puzzle["tags"] if done.state in ("right", "wrong") else []
    return {
        "game": puzzle["game"],
        "state": done.state,
        "frames": frames(done.played, done.state == "going"),
        "refutation": frames(done.refutation),
        "tags": tags,
        "titles": tags,
        "change": None,
        "standing": None,
    }


def new_rating(puzzle: Mapping[str, Any]) -> Glicko:
    """Return the rating of a puzzle that has not been tried."""
    return Glicko(float(puzzle["rating"]), NEW_DEVIATION)


def beginner_rating(game: str) -> Glicko:
    """Return the rating of a person who has not tried any puzzle of ``game``. The next puzzle is as hard as a rating
    less its deviation, so the first ones are the easiest, and each success leads to clearly harder ones."""
    return Glicko(easiest_rating(all_puzzles().values(), game) + NEW_DEVIATION, NEW_DEVIATION)


def due_again(right: bool, failures: int, now: float) -> float | None:
    """Return when (seconds) a puzzle comes again after so many failures; None if it was solved now."""
    return None if right else now + DAY_SECONDS * REPEAT_DAYS[min(failures, len(REPEAT_DAYS)) - 1]


def tried_again(failures: int, due: float | None, right: bool, now: float) -> tuple[int, float | None] | None:
    """Return the failures at a puzzle, and when it comes again, after another try. None means that the try does not
    count: it failed before the puzzle came again, or the answer to the try before got lost."""
    if not right and due is not None and now < due:
        return None
    failures += not right
    return failures, due_again(right, failures, now)


def standing_data(rating: Glicko, tried: int, streak: int) -> dict[str, Any]:
    """Return how strong a person is in the puzzles of a game."""
    return {
        "rating": round(rating.rating),
        "deviation": round(rating.deviation),
        "provisional": rating.is_provisional,
        "tried": tried,
        "streak": streak,
    }
