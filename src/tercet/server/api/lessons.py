"""Addresses of the progress in lessons, which accounts have from all their browsers, and of the studies."""

from __future__ import annotations

import functools
import gzip
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, cast

import sqlalchemy as sa
from fastapi import Request

import tercet
from tercet.answers.addresses import address
from tercet.answers.fields import Limit
from tercet.answers.wire import TypedDict, learning
from tercet.answers.wire.learning import LessonProgressData
from tercet.core.texts import GameName, Text
from tercet.games import game_definition
from tercet.learning.lessons import first_game_of, lessons_of
from tercet.server.api.accounts import account_of
from tercet.server.errors import ApiError
from tercet.server.people.identity import people_of
from tercet.server.services import PageFile, services_of
from tercet.server.store.schema import LESSON_PROGRESS

FIRST_GAME = "first-game"  # what the guided first game is called among the lessons


class LessonProgress(TypedDict):
    """How far a browser's learner has come in a lesson; ``at`` is when, in milliseconds."""

    game: Annotated[str, Limit(20)]
    lesson: Annotated[str, Limit(60)]
    steps: Annotated[int, Limit(1000, 0)]
    done: bool
    at: Annotated[int, Limit(least=0, below=1 << 53)]


def merged(one: LessonProgressData, other: LessonProgressData) -> LessonProgressData:
    """Merge the progress in a lesson from two places: the later one says how many steps are done now, and
    a lesson that was done in either is done."""
    later = max(one, other, key=lambda known: known["at"])
    return {**later, "done": one["done"] or other["done"]}


@address("GET /api/me/lessons", learning.ProgressKept)
async def progress(request: Request) -> Any:
    """Return the asking person's progress, in all lessons that they have begun."""
    person = await account_of(request)
    return {"lessons": [_progress(row) for row in await people_of(request).database.rows(_of(person.id))]}


@address("POST /api/me/lessons", learning.ProgressKept)
async def keep(request: Request, lessons: Annotated[Sequence[LessonProgress], Limit(500)]) -> Any:
    """Merge a browser's progress into the account's. Return all of it. Unknown lessons are ignored."""
    person = await account_of(request)
    given = await services_of(request).compute(lambda: _existing(lessons), request)

    def write(connection: sa.Connection) -> list[LessonProgressData]:
        known = {(row.game, row.lesson): _progress(row) for row in connection.execute(_of(person.id))}
        for one in given:
            key = (one["game"], one["lesson"])
            before = known.get(key)
            known[key] = now = one if before is None else merged(before, one)
            row = {"person_id": person.id, **now, "at": now["at"] / 1000}
            if before is None:
                connection.execute(LESSON_PROGRESS.insert().values(**row))
            elif now != before:
                which = [column == row[column.name] for column in LESSON_PROGRESS.primary_key]
                connection.execute(LESSON_PROGRESS.update().where(*which).values(**row))
        return list(known.values())

    return {"lessons": await people_of(request).database.write_together(f"lessons {person.id}", write)}


def _existing(lessons: Sequence[LessonProgress]) -> list[LessonProgressData]:
    """Those of ``lessons`` that there are, no further on than they have steps, and not from the future."""
    now = round(1000 * time.time())
    lengths: dict[tuple[str, str], int] = {}
    for game in {one["game"] for one in lessons} & set(tercet.games()):
        lengths |= {(game, lesson.id): len(lesson.steps) for lesson in lessons_of(game)}
        first = first_game_of(game)
        if first is not None:
            lengths[game, FIRST_GAME] = len(first.ideas)
    known = [(one, lengths[one["game"], one["lesson"]]) for one in lessons if (one["game"], one["lesson"]) in lengths]
    return [{**one, "steps": min(one["steps"], length), "at": min(one["at"], now)} for one, length in known]


def _of(person_id: str) -> sa.Select[Any]:
    return sa.select(LESSON_PROGRESS).where(LESSON_PROGRESS.c.person_id == person_id)


def _progress(row: Any) -> LessonProgressData:
    done = {"steps": row.steps, "done": row.done, "at": round(1000 * row.at)}
    return cast("LessonProgressData", {"game": row.game, "lesson": row.lesson, **done})


# A report brings its own script and styles. It gets no origin, and so neither cookies nor storage of this site.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; sandbox allow-scripts"


class StudyFigure(TypedDict):
    """A figure with its interval, the parts of its name (words, or an option and its value), and what it ``says``."""

    name: list[list[Text]]
    says: Text
    mean: float
    low: float
    high: float


class StudyChart(TypedDict):
    """Figures that compare with each other. All are about what ``shared`` says; a ``share`` is a part of one, and
    ``even`` an even share of the points (null: the figures are no such shares)."""

    title: Text
    shared: list[list[Text]]
    share: bool
    even: float | None
    rows: list[StudyFigure]


class StudyResult(TypedDict):
    """A study that comes with a game: its question is the ``title``, the answer of its ``games`` games the ``result``,
    whose figures the ``charts`` show. The ``note`` says what an engine cannot tell."""

    id: str
    title: Text
    result: Text
    charts: list[StudyChart]
    note: Text
    games: int


class GameStudies(TypedDict):
    """The studies of a game."""

    game: GameName
    title: Text
    studies: list[StudyResult]


@address("GET /api/lab", list[GameStudies], fixed=True)
def studies() -> list[dict[str, Any]]:
    """Return the studies of all games that have any: each with its question, what its games answered, and what an
    engine cannot tell."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name, study in _published().items():
        game, _, ident = name.partition("/")
        found.setdefault(game, []).append(
            {"id": ident, "title": study.question, "result": study.answer, "charts": study.charts,
             "note": study.cannot, "games": study.games}
        )  # fmt: skip
    games = [game for game in tercet.games() if game in found]
    return [{"game": game, "title": game_definition(game).title, "studies": found[game]} for game in games]


@address("GET /api/lab/{game}/{study}/report", media="text/html", fixed=True)
def report(game: str, study: str) -> PageFile:
    """Return the report of a study, in English: an HTML page that needs nothing else."""
    page = gzip.decompress(_file(game, study, "report").read_bytes())
    return PageFile.of("text/html", page, headers={"content-security-policy": POLICY})


@address("GET /api/lab/{game}/{study}/figures", media="text/csv", fixed=True)
def figures(game: str, study: str) -> PageFile:
    """Return all figures of a study with their intervals, as CSV."""
    headers = {"content-disposition": f'attachment; filename="{game}-{study}.csv"'}
    return PageFile.of("text/csv", _file(game, study, "figures").read_bytes(), headers=headers)


@functools.cache
def _published() -> dict[str, Any]:
    from tercet.laboratory.study import published_studies

    return {study.name: study for study in published_studies()}


def _file(game: str, study: str, which: str) -> Path:
    found = _published().get(f"{game}/{study}")
    if found is None:
        raise ApiError("not-found", "study", "This study does not exist. GET /api/lab lists the studies.")
    path: Path = getattr(found, which)
    return path
