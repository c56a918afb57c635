"""Endpoints of puzzles: the daily one, the next one, tries, history, and the whole set."""

from __future__ import annotations

import csv
import datetime
import io
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from fastapi import Request

from tercet.answers import home, puzzles, trainer
from tercet.answers.addresses import address, answers
from tercet.answers.fields import PuzzleGame
from tercet.server import puzzles as storage
from tercet.server.errors import ApiError
from tercet.server.people.identity import Person, people_of, person_for, person_of, remember
from tercet.server.services import PageFile, services_of
from tercet.server.store.database import Database
from tercet.server.store.schema import PUZZLE_TRIES, PUZZLES

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


@answers(home.themes)
async def themes(request: Request) -> Any:
    database = await _database(request)
    whose = _id(await person_of(request))

    def find(connection: sa.Connection) -> list[dict[str, Any]]:
        games = storage.themes(connection)
        return [{**one, "standing": storage.standing(connection, whose, one["game"])} for one in games]

    return {"games": await database.find(find)}


@answers(home.daily)
async def daily(request: Request, game: str = "", day: datetime.date | None = None) -> Any:
    await _database(request)
    today = puzzles.today()
    day = day or today
    ident = await services_of(request).compute(lambda: puzzles.daily_puzzle(game, day, today), request)
    return await _told(request, ident, day=day)


@answers(home.days)
async def days(request: Request, month: datetime.date | None = None) -> Any:
    database = await _database(request)
    today = puzzles.today()
    chosen = await services_of(request).compute(lambda: puzzles.puzzle_days(month or today, today), request)
    person = await person_of(request)
    idents = [ident for found in chosen.values() for ident in found.values()]
    tried = await database.find(lambda connection: storage.first_tries(connection, _id(person), idents))
    return puzzles.month_data(chosen, tried, today)


@answers(home.next_puzzle)
async def following(
    request: Request, game: str, tag: Sequence[str] = (), low: int = 0, high: int = home.MAX_RATING, repeat: bool = True
) -> Any:
    database = await _database(request)
    person = await person_of(request)
    wanted = (_id(person), game, tag, low, high, repeat)
    found = await database.find(lambda connection: storage.following(connection, *wanted))
    if found is None:
        raise ApiError("not-found", "puzzle", "You have tried all puzzles of this kind.")
    return await _told(request, found[0], again=found[1])


@answers(home.trainer)
async def trained(request: Request, game: str = "") -> Any:
    tries = await _tries(request)
    return await services_of(request).compute(lambda: trainer.trainer_data(game, tries, time.time()), request)


@answers(home.next_of_motif)
async def next_of_motif(request: Request, game: str = "") -> Any:
    database, tries = await _database(request), await _tries(request)
    whose = _id(await person_of(request))
    ratings = await database.find(lambda connection: storage.wanted_ratings(connection, whose))
    now, services = time.time(), services_of(request)
    ident, motif = await services.compute(lambda: trainer.following(game, tries, ratings, now), request)
    return await _told(request, ident, motif=motif)


async def _tries(request: Request) -> dict[str, Any]:
    """Return the asker's tries."""
    whose = _id(await person_of(request))
    return await people_of(request).database.find(lambda connection: storage.tries(connection, whose))


@answers(home.history)
async def history(request: Request) -> Any:
    person = await person_of(request)
    database = people_of(request).database
    return {"tried": await database.find(lambda connection: storage.history(connection, _id(person)))}


@address("GET /api/puzzles/export.csv", media="text/csv", fixed=True)
def export_csv(game: PuzzleGame = "") -> PageFile:
    """Return all puzzles of a game, or of all, as a table; proofs are in the other export."""
    headers = {"content-disposition": 'attachment; filename="puzzles.csv"'}
    return PageFile.of("text/csv", _csv(_listed(game)).encode(), headers=headers)


@address("GET /api/puzzles/export.jsonl", media="application/x-ndjson", fixed=True)
def export_lines(game: PuzzleGame = "") -> PageFile:
    """Return the puzzles with their proofs, one a line, as `tercet puzzle check` reads them."""
    headers = {"content-disposition": 'attachment; filename="puzzles.jsonl"'}
    lines = "".join(json.dumps(puzzle, ensure_ascii=False) + "\n" for puzzle in _listed(game))
    return PageFile.of("application/x-ndjson", lines.encode(), headers=headers)


def _listed(game: str) -> list[dict[str, Any]]:
    return [puzzle for puzzle in puzzles.all_puzzles().values() if game in ("", puzzle["game"])]


def _csv(listed: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(COLUMNS)
    for puzzle in listed:
        joined = {"tags": ";".join(puzzle["tags"]), "right": " ".join(puzzle["right"])}
        writer.writerow([joined.get(name, puzzle[name]) for name in COLUMNS])
    return text.getvalue()


@answers(home.puzzle)
async def puzzle(request: Request, ident: str) -> Any:
    await _database(request)
    return await _told(request, ident)


@answers(home.try_puzzle)
async def solve(
    request: Request,
    ident: str,
    actions: Sequence[str],
    moves: Sequence[str] = (),
    run: bool = False,
    motif: str | None = None,
) -> Any:
    return await _decided(request, ident, lambda: puzzles.puzzle_tried(ident, moves, actions), run, motif)


@answers(home.solve_puzzle)
async def show_solution(request: Request, ident: str, run: bool = False, motif: str | None = None) -> Any:
    return await _decided(request, ident, lambda: puzzles.puzzle_solution(ident), run, motif)


async def _decided(
    request: Request, ident: str, attempt: Callable[[], dict[str, Any]], run: bool, motif: str | None
) -> Any:
    """Answer with the result of a try; store it if it decides the puzzle and is not made in a ``run``."""
    database, services = await _database(request), services_of(request)
    trainer.check_motif(motif, ident)
    shown = await services.compute(attempt, request)
    right = shown["state"] == "right"
    if not run and (right or shown["state"] == "wrong"):
        found, person = puzzles.known_puzzle(ident), await person_for(request)
        await remember(request, person)
        shown["change"] = await storage.conclude(database, person.id, found, right, motif)
        whose = (person.id, found["game"])
        shown["standing"] = await database.find(lambda connection: storage.standing(connection, *whose))
        if motif is not None:
            tries = await database.find(lambda connection: storage.tries(connection, person.id))
            shown["motif"] = await services.compute(lambda: trainer.motif_data(motif, tries, time.time()), request)
    return shown


async def _told(request: Request, ident: str, **known: Any) -> Any:
    puzzles.known_puzzle(ident)
    person = await person_of(request)
    mine = (PUZZLE_TRIES.c.puzzle_id == ident) & (PUZZLE_TRIES.c.person_id == _id(person))
    settled = sa.select(sa.exists().where(mine)).scalar_subquery().label("settled")
    asked = sa.select(PUZZLES.c.rating, PUZZLES.c.tries, settled).where(PUZZLES.c.id == ident)
    (row,) = await people_of(request).database.rows(asked)
    how = {"rating": row.rating, "tries": row.tries, "settled": bool(row.settled), **known}
    return await services_of(request).compute(lambda: puzzles.puzzle_data(ident, **how), request)
