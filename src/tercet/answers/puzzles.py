"""Puzzles: those that come with the games, the one of the day, one to solve, and what comes of a try."""

from __future__ import annotations

import datetime
import functools
import hashlib
from collections.abc import Sequence
from typing import Any

import tercet
from tercet.answers.errors import AnswerError
from tercet.answers.lessons import frames
from tercet.answers.puzzle_attempts import Attempt, attempt
from tercet.presentation import position_view, table_view
from tercet.puzzles import read, shipped

__all__ = ["all_puzzles", "daily_puzzle", "known_puzzle", "puzzle_data", "puzzle_tried"]


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


def daily_puzzle(game: str, day: datetime.date) -> str:
    """Return the id of the puzzle of that day, of one game or (empty) of all by turns."""
    games = sorted({puzzle["game"] for puzzle in all_puzzles().values()})
    wanted = game or (games[day.toordinal() % len(games)] if games else "")
    listed = sorted(ident for ident, puzzle in all_puzzles().items() if puzzle["game"] == wanted)
    if not listed:
        raise AnswerError("not-found", "game", "This game has no puzzles.")
    number = int.from_bytes(hashlib.sha256(f"{wanted} {day}".encode()).digest()[:8], "big")
    return listed[number % len(listed)]


def puzzle_data(ident: str, *, rating: float, tries: int, again: bool, settled: bool) -> dict[str, Any]:
    """Return a puzzle to solve, with its ``rating`` after so many ``tries``; ``again``: its solver failed it before and
    it is due; ``settled``: they have tried it before."""
    found = known_puzzle(ident)
    position = tercet.parse(found["position"])
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
        "table": table_view(position.game),
        "view": position_view(position),
    }


def puzzle_tried(ident: str, moves: Sequence[str], actions: Sequence[str]) -> dict[str, Any]:
    """Return what comes of the solver's ``actions`` after ``moves``. Of a decided puzzle (``state`` right or wrong) the
    tags are shown too; the solver's standing and its change are for the caller to fill in."""
    puzzle = known_puzzle(ident)
    done: Attempt = attempt(puzzle, moves, actions)
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
