"""Puzzles, as clients are sent them."""

from __future__ import annotations

from typing import Literal

from tercet.answers.wire import TypedDict
from tercet.answers.wire.game_data import PositionView, TableView
from tercet.answers.wire.lessons import LessonFrame
from tercet.core.texts import GameName, Text

__all__ = ["PuzzleAnswer", "PuzzleData", "PuzzleDays", "PuzzleHistory", "PuzzleRun", "PuzzleThemes"]


class PuzzleData(TypedDict):
    """A puzzle to solve. ``player`` is the solver; ``again``: they failed it before and it is due; ``settled``: they
    have tried it, so their rating stays as it is; ``day``: the day (as 2026-11-25) whose puzzle was asked for;
    ``options``: the names of those that are named to the solver in any case."""

    id: str
    game: GameName
    task: Text
    player: int
    turns: int
    rating: int
    tries: int
    again: bool
    settled: bool
    day: str | None
    options: list[str]
    table: TableView
    view: PositionView


class PuzzleStanding(TypedDict):
    """A person's rating in the puzzles of a game, the number of puzzles tried, and the streak: how many of the last
    ones were right at the first try. The rating is ``provisional`` until some puzzles have settled it."""

    rating: int
    deviation: int
    provisional: bool
    tried: int
    streak: int


class PuzzleAnswer(TypedDict):
    """The result of a try: its actions and the best answers as ``frames``. A decided puzzle shows its ``tags`` with
    ``titles`` for people, and the solver's ``standing``; the ``change`` of the rating is null if it was decided
    before. After a wrong action ``refutation`` shows why it is wrong."""

    game: GameName
    state: Literal["going", "right", "wrong", "unsure"]
    frames: list[LessonFrame]
    refutation: list[LessonFrame]
    tags: list[str]
    titles: list[Text]
    change: int | None
    standing: PuzzleStanding | None


class PuzzleDay(TypedDict):
    """A day (as 2026-11-25) and whether the asker solved its puzzle at the first try (null: not tried)."""

    day: str
    right: bool | None


class GamePuzzleDays(TypedDict):
    """The days of a month that have a puzzle of a game."""

    game: GameName
    title: Text
    days: list[PuzzleDay]


class PuzzleDays(TypedDict):
    """The daily puzzles of a month, and which day is ``today`` (UTC)."""

    today: str
    games: list[GamePuzzleDays]


class PuzzleRun(TypedDict):
    """Ids of puzzles to solve one after another, from easy to hard."""

    puzzles: list[str]


class PuzzleTheme(TypedDict):
    """A tag, its title for people, and how many puzzles have it."""

    tag: str
    title: Text
    count: int


class PuzzleGame(TypedDict):
    """The puzzles of a game: how many, between which ratings, with which themes; ``standing`` is the asker's."""

    game: GameName
    title: Text
    count: int
    low: int
    high: int
    themes: list[PuzzleTheme]
    standing: PuzzleStanding


class PuzzleThemes(TypedDict):
    """All games that have puzzles."""

    games: list[PuzzleGame]


class PuzzleTried(TypedDict):
    """A puzzle that was tried: ``at`` in milliseconds, the rating after it, ``due`` when it comes again (null: not)."""

    id: str
    game: str
    right: bool
    at: int
    rating: int
    due: int | None


class PuzzleHistory(TypedDict):
    """What the asker has tried, the last first."""

    tried: list[PuzzleTried]
