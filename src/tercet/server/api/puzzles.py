"""Endpoints of puzzles: the daily one, the next one, tries, history, and the whole set."""

from __future__ import annotations

import csv
import datetime
import io
import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import APIRouter, Query, Request
from starlette.responses import StreamingResponse

from tercet.answers import puzzles
from tercet.games import game_definition
from tercet.server.errors import ApiError, Json
from tercet.server.people.identity import Person, people_of, person_for, person_of, remember
from tercet.server.services import services_of
from tercet.server.store import puzzles as storage
from tercet.server.store.database import Database
from tercet.server.store.schema import PUZZLE_TRIES, PUZZLES
from tercet.server.wire.requests import PuzzleSolutionRequest, PuzzleTryRequest

router = APIRouter(tags=["puzzles"])
MAX_RATING = 4000  # of a puzzle
GameName = Annotated[str, Query(max_length=20, pattern="^[a-z]*$")]
COLUMNS = ("id", "game", "position", "mover", "task", "turns", "rating", "tags", "right")


def _id(person: Person | None) -> str:
    return "" if person is None else person.id  # no person has this id


async def _database(request: Request) -> Database:
    services, database = services_of(request), people_of(request).database
    if not services.puzzles_stored:
        await services.compute(puzzles.all_puzzles, request)
        await storage.add_missing(database)
        services.puzzles_stored = True
    return database


@router.get("/api/puzzles")
async def themes(request: Request) -> Json:
    """Return the games that have puzzles: how many, their themes, and how strong the asker is in them."""
    database = await _database(request)
    person = await person_of(request)

    def find(connection: sa.Connection) -> list[dict[str, Any]]:
        games = storage.themes(connection)
        for one in games:
            one["title"] = game_definition(one["game"]).title
            one["standing"] = storage.standing(connection, _id(person), one["game"])
        return games

    return Json({"games": await database.find(find)})


@router.get("/api/puzzles/daily")
async def daily(request: Request, game: GameName = "", day: datetime.date | None = None) -> Json:
    """Return the puzzle of a day (UTC; today, if it is left out) of one game or of all by turns: the same for
    everybody."""
    await _database(request)
    today = _today()
    day = day or today
    ident = await services_of(request).compute(lambda: puzzles.daily_puzzle(game, day, today), request)
    return await _told(request, ident, day=day)


@router.get("/api/puzzles/days")
async def days(request: Request, month: datetime.date | None = None) -> Json:
    """Return the daily puzzles of the month of this day (today, if it is left out): which of them the asker has
    solved."""
    database = await _database(request)
    today = _today()
    chosen = await services_of(request).compute(lambda: puzzles.puzzle_days(month or today, today), request)
    person = await person_of(request)
    idents = [ident for found in chosen.values() for ident in found.values()]
    tried = await database.find(lambda connection: storage.first_tries(connection, _id(person), idents))
    return Json(puzzles.month_data(chosen, tried, today))


@router.get("/api/puzzles/run")
async def run(request: Request, game: GameName) -> Json:
    """Puzzles of a game to solve one after another, from easy to hard: other ones each time."""
    await _database(request)
    return Json({"puzzles": puzzles.puzzle_run(game)})


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


@router.get("/api/puzzles/next")
async def following(
    request: Request,
    game: GameName,
    tag: Annotated[list[Annotated[str, Query(max_length=40)]] | None, Query(max_length=12)] = None,
    low: Annotated[int, Query(ge=0, le=MAX_RATING)] = 0,
    high: Annotated[int, Query(ge=0, le=MAX_RATING)] = MAX_RATING,
    repeat: bool = True,
) -> Json:
    """Return a puzzle to try next, with all these tags and a rating between these: one that was failed and is due again
    (unless ``repeat`` is false), else one that the asker has not tried."""
    database = await _database(request)
    person = await person_of(request)
    found = await database.find(
        lambda connection: storage.following(connection, _id(person), game, tag or (), low, high, repeat)
    )
    if found is None:
        raise ApiError("not-found", "puzzle", "You have tried all puzzles of this kind.")
    return await _told(request, found[0], again=found[1])


@router.get("/api/puzzles/history")
async def history(request: Request) -> Json:
    """Return the puzzles that the asking person has tried; only they can see them."""
    person = await person_of(request)
    database = people_of(request).database
    return Json({"tried": await database.find(lambda connection: storage.history(connection, _id(person)))})


@router.get("/api/puzzles/export.csv", response_class=StreamingResponse)
async def export_csv(request: Request, game: GameName = "") -> StreamingResponse:
    """Return all puzzles of a game, or of all, as a table; proofs are in the other export."""
    await _database(request)
    headers = {"content-disposition": 'attachment; filename="puzzles.csv"'}
    return StreamingResponse(_csv(_listed(game)), media_type="text/csv", headers=headers)


@router.get("/api/puzzles/export.jsonl", response_class=StreamingResponse)
async def export_lines(request: Request, game: GameName = "") -> StreamingResponse:
    """Return the puzzles with their proofs, one a line, as `tercet puzzle check` reads them."""
    await _database(request)
    headers = {"content-disposition": 'attachment; filename="puzzles.jsonl"'}
    lines = (json.dumps(puzzle, ensure_ascii=False) + "\n" for puzzle in _listed(game))
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)


def _listed(game: str) -> list[dict[str, Any]]:
    return [puzzle for puzzle in puzzles.all_puzzles().values() if game in ("", puzzle["game"])]


def _csv(listed: Sequence[dict[str, Any]]) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for puzzle in listed:
        joined = {"tags": ";".join(puzzle["tags"]), "right": " ".join(puzzle["right"])}
        writer.writerow([joined.get(name, puzzle[name]) for name in COLUMNS])
        yield text.getvalue()
        text.seek(0)
        text.truncate()


@router.get("/api/puzzles/{ident}")
async def puzzle(ident: str, request: Request) -> Json:
    """Return a puzzle to solve."""
    await _database(request)
    return await _told(request, ident)


@router.post("/api/puzzles/{ident}/try")
async def solve(ident: str, ask: PuzzleTryRequest, request: Request) -> Json:
    """Judge the solver's actions. A first decision changes the solver's rating and the puzzle's, unless it is made in
    a run."""
    await _database(request)
    shown = await services_of(request).compute(lambda: puzzles.puzzle_tried(ident, ask.moves, ask.actions), request)
    return await _decided(request, ident, shown, counts=not ask.run)


@router.post("/api/puzzles/{ident}/solution")
async def show_solution(ident: str, ask: PuzzleSolutionRequest, request: Request) -> Json:
    """Show a way to solve the puzzle, as the frames of an answer. A puzzle that was not decided counts as failed."""
    await _database(request)
    shown = await services_of(request).compute(lambda: puzzles.puzzle_solution(ident), request)
    return await _decided(request, ident, shown, counts=not ask.run)


async def _decided(request: Request, ident: str, shown: dict[str, Any], *, counts: bool) -> Json:
    """Answer with the result of a try; store it if it decides the puzzle and ``counts``."""
    database, right = people_of(request).database, shown["state"] == "right"
    if counts and (right or shown["state"] == "wrong"):
        found = puzzles.known_puzzle(ident)
        person = await person_for(request)
        await remember(request, person)
        shown["change"] = await storage.conclude(database, person.id, found, right)
        shown["standing"] = await database.find(
            lambda connection: storage.standing(connection, person.id, found["game"])
        )
    return Json(shown)


async def _told(request: Request, ident: str, again: bool = False, day: datetime.date | None = None) -> Json:
    puzzles.known_puzzle(ident)
    person = await person_of(request)
    mine = (PUZZLE_TRIES.c.puzzle_id == ident) & (PUZZLE_TRIES.c.person_id == _id(person))
    settled = sa.select(sa.exists().where(mine)).scalar_subquery().label("settled")
    asked = sa.select(PUZZLES.c.rating, PUZZLES.c.tries, settled).where(PUZZLES.c.id == ident)
    row = (await people_of(request).database.rows(asked))[0]

    def work() -> dict[str, Any]:
        return puzzles.puzzle_data(
            ident, rating=row.rating, tries=row.tries, again=again, settled=bool(row.settled), day=day
        )

    return Json(await services_of(request).compute(work, request))
