"""Endpoints of the lessons. The page knows no goal and no rule: it sends a try and gets the result. Accounts have their
progress from all their browsers."""

from __future__ import annotations

import functools
import gzip
import time
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from fastapi import APIRouter, Request
from starlette.responses import Response

import tercet
from tercet.answers import lessons
from tercet.answers.wire.learning import LessonProgressData
from tercet.games import game_definition
from tercet.learning.lessons import first_game_of, lessons_of
from tercet.server.api.accounts import account_of
from tercet.server.errors import ApiError, Json
from tercet.server.people.identity import people_of
from tercet.server.services import answered, services_of
from tercet.server.store.schema import LESSON_PROGRESS
from tercet.server.wire.requests import AdviceRequest, FirstGameRequest, KeepProgressRequest, TryRequest

router = APIRouter()
FIRST_GAME = "first-game"  # what the guided first game is called among the lessons


@router.get("/api/lessons")
async def all_lessons(request: Request) -> Json:
    """Return the lessons of all games that have any."""
    return Json(await services_of(request).compute(lessons.lessons))


@router.get("/api/lessons/{game}/{lesson}")
async def lesson(game: str, lesson: str, request: Request) -> Json:
    """Return a whole lesson."""
    return Json(await services_of(request).compute(lambda: lessons.lesson(game, lesson)))


@router.post("/api/lessons/{game}/{lesson}/{step}/try")
async def attempt(game: str, lesson: str, step: int, ask: TryRequest, request: Request) -> Json:
    """What comes of the learner's actions in a step (counted from 0): the replies to them, and whether the goal is
    reached."""
    services = services_of(request)
    return Json(await services.compute(lambda: lessons.step_tried(game, lesson, step, ask.actions, ask.moves)))


@router.get("/api/lessons/{game}/{lesson}/{step}/solution")
async def solution(game: str, lesson: str, step: int, request: Request) -> Json:
    """Return one way to reach the goal of a step."""
    return Json(await services_of(request).compute(lambda: lessons.solution(game, lesson, step)))


@router.post("/api/advice")
async def advice(ask: AdviceRequest, request: Request) -> Response:
    """Return the tips for a beginner in a position of a game."""
    return await answered(request, lessons.advice, ask)


@router.post("/api/first-game")
async def first_game(ask: FirstGameRequest, request: Request) -> Response:
    """Return what to show a newcomer, who has the first seat, in their guided first game."""
    return await answered(request, lessons.first_game, ask)


# Progress -----------------------------------------------------------------------------------------------------------


def merged(one: LessonProgressData, other: LessonProgressData) -> LessonProgressData:
    """Merge the progress in a lesson from two places: the later one says how many steps are done now, and
    a lesson that was done in either is done."""
    later = max(one, other, key=lambda known: known["at"])
    return {**later, "done": one["done"] or other["done"]}


@router.get("/api/me/lessons")
async def progress(request: Request) -> Json:
    """Return the asking person's progress, in all lessons that they have begun."""
    person = await account_of(request)
    return Json({"lessons": [_progress(row) for row in await people_of(request).database.rows(_of(person.id))]})


@router.post("/api/me/lessons")
async def keep(ask: KeepProgressRequest, request: Request) -> Json:
    """Merge a browser's progress into the account's. Return all of it. Unknown lessons are ignored."""
    person = await account_of(request)
    given = await services_of(request).compute(lambda: _existing(ask), request)

    def write(connection: sa.Connection) -> list[LessonProgressData]:
        known = {(row.game, row.lesson): _progress(row) for row in connection.execute(_of(person.id))}
        for one in given:
            key = (one["game"], one["lesson"])
            before = known.get(key)
            known[key] = one if before is None else merged(before, one)
            values = {"steps": known[key]["steps"], "done": known[key]["done"], "at": known[key]["at"] / 1000}
            if before is None:
                row = {"person_id": person.id, "game": key[0], "lesson": key[1], **values}
                connection.execute(LESSON_PROGRESS.insert().values(**row))
            elif known[key] != before:
                which = (LESSON_PROGRESS.c.game == key[0]) & (LESSON_PROGRESS.c.lesson == key[1])
                mine = LESSON_PROGRESS.c.person_id == person.id
                connection.execute(LESSON_PROGRESS.update().where(mine & which).values(**values))
        return list(known.values())

    return Json({"lessons": await people_of(request).database.write_together(f"lessons {person.id}", write)})


def _existing(ask: KeepProgressRequest) -> list[LessonProgressData]:
    """Those lessons of ``ask`` that there are, no further on than they have steps, and not from the future."""
    now = round(1000 * time.time())
    lengths: dict[tuple[str, str], int] = {}
    for game in {one.game for one in ask.lessons} & set(tercet.games()):
        lengths |= {(game, lesson.id): len(lesson.steps) for lesson in lessons_of(game)}
        first = first_game_of(game)
        if first is not None:
            lengths[game, FIRST_GAME] = len(first.ideas)
    return [
        {
            "game": one.game,
            "lesson": one.lesson,
            "steps": min(one.steps, lengths[one.game, one.lesson]),
            "done": one.done,
            "at": min(one.at, now),
        }
        for one in ask.lessons
        if (one.game, one.lesson) in lengths
    ]


def _of(person_id: str) -> sa.Select[Any]:
    return sa.select(LESSON_PROGRESS).where(LESSON_PROGRESS.c.person_id == person_id)


def _progress(row: Any) -> LessonProgressData:
    return {
        "game": row.game,
        "lesson": row.lesson,
        "steps": row.steps,
        "done": row.done,
        "at": round(1000 * row.at),
    }


# A report brings its own script and styles. It gets no origin, and so neither cookies nor storage of this site.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; sandbox allow-scripts"
CACHE = "public, max-age=3600"


@router.get("/api/lab")
async def studies(request: Request) -> Json:
    """Return the studies of all games that have any: each with its question, what its games answered, and what an
    engine cannot tell."""
    return Json(await services_of(request).compute(_all))


@router.get("/api/lab/{game}/{study}/report", response_class=Response, responses={200: {"content": {"text/html": {}}}})
async def report(game: str, study: str, request: Request) -> Response:
    """Return the report of a study, in English: an HTML page that needs nothing else."""
    packed = await services_of(request).compute(lambda: _file(game, study, "report").read_bytes(), request)
    headers = {"content-security-policy": POLICY, "cache-control": CACHE, "vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(packed, headers=headers | {"content-encoding": "gzip"}, media_type="text/html")
    return Response(gzip.decompress(packed), headers=headers, media_type="text/html")


@router.get("/api/lab/{game}/{study}/figures", response_class=Response, responses={200: {"content": {"text/csv": {}}}})
async def figures(game: str, study: str, request: Request) -> Response:
    """Return all figures of a study with their intervals, as CSV."""
    text = await services_of(request).compute(lambda: _file(game, study, "figures").read_bytes(), request)
    headers = {"content-disposition": f'attachment; filename="{game}-{study}.csv"', "cache-control": CACHE}
    return Response(text, headers=headers, media_type="text/csv")


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


@functools.cache
def _all() -> list[dict[str, Any]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for name, study in _published().items():
        game, _, ident = name.partition("/")
        found.setdefault(game, []).append(
            {"id": ident, "title": study.question, "result": study.answer, "note": study.cannot, "games": study.games}
        )
    return [
        {"game": game, "title": game_definition(game).title, "studies": found[game]}
        for game in tercet.games()
        if game in found
    ]
