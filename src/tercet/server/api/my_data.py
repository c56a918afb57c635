"""Taking one's data along, and having it deleted."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import sqlalchemy as sa
from fastapi import Request
from starlette.responses import StreamingResponse

from tercet.answers.addresses import address
from tercet.answers.wire import my_games
from tercet.server.api.accounts import Secret, account_of, sure_of_password
from tercet.server.errors import ApiError
from tercet.server.limits.spenders import ChargedStream
from tercet.server.people.identity import People, Person, forget_cookie, people_of, person_of
from tercet.server.people.moderation import delete_person
from tercet.server.store import schema
from tercet.server.store.schema import BLOCKS, CONDITIONAL_MOVES, EVENTS, FOLLOWS, PEOPLE, SEATS, TABLES


async def _myself(request: Request) -> Person:
    person = await person_of(request)
    if person is None:
        raise ApiError("not-signed-in", "session", "This browser is not signed in and has not played as a guest.")
    return person if person.kind == "guest" else await account_of(request)


@address("GET /api/me/export", media="application/json")
async def export(request: Request) -> StreamingResponse:
    """Return all data that the server keeps about you, as JSON."""
    person = await _myself(request)
    return ChargedStream(
        _export(people_of(request), person),
        media_type="application/json",
        headers={"content-disposition": 'attachment; filename="tercet.json"'},
    )


# The stored data of a person: the name in the export, the column that names the person, and which columns of its table.
_PARTS: tuple[tuple[str, sa.Column[str], tuple[str, ...]], ...] = (
    ("sessions", schema.SESSIONS.c.person_id, ("id", "kind", "name", "created", "seen")),
    ("ratings", schema.RATINGS.c.person_id, ("game", "speed", "rating", "values", "games", "at")),
    ("history", schema.HISTORY.c.person_id, ("table_id", "seat", "before", "after", "at")),
    ("puzzles", schema.PUZZLE_TRIES.c.person_id, ("puzzle_id", "right", "at", "rating", "failures", "due", "motif")),
    ("puzzleRatings", schema.PUZZLE_RATINGS.c.person_id, ("game", "values", "tries", "at")),
    ("lessons", schema.LESSON_PROGRESS.c.person_id, ("game", "lesson", "steps", "done", "at")),
    ("talk", schema.TALK.c.person_id, ("table_id", "room", "seat", "name", "text", "at", "hidden")),
    ("reports", schema.REPORTS.c.person_id, ("table_id", "talk_id", "analysis_id", "why", "at", "handled")),
    ("email", schema.EMAILS.c.person_id, ("email", "confirmed")),
    ("noticeDevices", schema.NOTICE_DEVICES.c.person_id, ("endpoint", "language", "created")),
    ("noticeSettings", schema.NOTICE_SETTINGS.c.person_id, ("off", "mail", "language")),
    ("vacation", schema.VACATIONS.c.person_id, ("until", "year", "used")),
    ("messagesWritten", schema.MESSAGES.c.from_id, ("text", "at")),
    ("messagesReceived", schema.MESSAGES.c.to_id, ("text", "at")),
    ("tournaments", schema.ENTRANTS.c.person_id, ("tournament_id", "active", "joined")),
    ("tournamentsOpened", schema.TOURNAMENTS.c.creator, ("id", "name", "form", "created")),
    ("tablesOpened", schema.TABLES.c.creator, ("id", "game", "opened")),
)


async def _export(people: People, person: Person) -> AsyncIterator[str]:
    """Yield the export in pieces, so that a person's games are never all in memory."""
    database = people.database
    created = await database.scalar(sa.select(PEOPLE.c.created).where(PEOPLE.c.id == person.id))
    exported: dict[str, Any] = {"person": {**person.data, "created": created}}
    for name, whose, columns in _PARTS:
        found = sa.select(*(whose.table.c[column] for column in columns)).where(whose == person.id)
        exported[name] = [one._asdict() for one in await database.rows(found)]
    for name, table in (("blocks", BLOCKS), ("follows", FOLLOWS)):
        others = sa.select(PEOPLE.c.handle, PEOPLE.c.name).join(table, table.c.other_id == PEOPLE.c.id)
        exported[name] = [one._asdict() for one in await database.rows(others.where(table.c.person_id == person.id))]
    seats = await database.rows(sa.select(SEATS.c.table_id, SEATS.c.seat).where(SEATS.c.person_id == person.id))
    mine = sa.select(schema.ANALYSES).where(schema.ANALYSES.c.person_id == person.id)
    analyses = await database.rows(mine.order_by(schema.ANALYSES.c.created))
    yield "{"
    for name, value in exported.items():
        yield f"{json.dumps(name)}: {json.dumps(value)}, "
    yield '"analyses": ['
    for number, row in enumerate(analyses):
        analysis = await database.find(lambda connection, row=row: _analysis(connection, row))  # type: ignore[misc]
        yield ", " * (number > 0) + json.dumps(analysis)
    yield '], "games": ['
    for number, seat in enumerate(seats):
        game = await database.find(lambda connection, seat=seat: _game(connection, seat.table_id, seat.seat))  # type: ignore[misc]
        yield ", " * (number > 0) + json.dumps(game)
    yield "]}"


def _analysis(connection: sa.Connection, row: sa.Row[Any]) -> dict[str, Any]:
    chapters = schema.ANALYSIS_CHAPTERS.c
    query = sa.select(chapters.name, chapters.data).where(chapters.analysis_id == row.id).order_by(chapters.number)
    values = {key: row._mapping[key] for key in ("id", "name", "access", "created", "changed")}
    return values | {"chapters": [{"name": name, **json.loads(data)} for name, data in connection.execute(query)]}


def _game(connection: sa.Connection, table_id: str, seat: int) -> dict[str, Any]:
    table = connection.execute(sa.select(TABLES).where(TABLES.c.id == table_id)).one()
    log = connection.execute(
        sa.select(EVENTS.c.number, EVENTS.c.kind, EVENTS.c.data, EVENTS.c.at)
        .where(EVENTS.c.table_id == table_id)
        .order_by(EVENTS.c.number)
    )
    planned = (CONDITIONAL_MOVES.c.table_id == table_id) & (CONDITIONAL_MOVES.c.seat == seat)
    return {
        "id": table_id,
        "seat": seat,
        "setup": table.setup,
        "opened": table.opened,
        "ended": table.ended,
        "result": table.result,
        "events": [dict(event) for event in log.mappings()],
        "conditional": connection.scalar(sa.select(CONDITIONAL_MOVES.c.lines).where(planned)) or [],
    }


@address("DELETE /api/me", my_games.MeResponse)
async def delete(request: Request, password: Secret = "") -> Any:
    """Delete one's account, or what is kept of a guest, who has no password. Games stay, played by a deleted player."""
    person = await _myself(request)
    if person.kind != "guest":
        await sure_of_password(request, person, password, "password")
    await delete_person(people_of(request), person.id)
    forget_cookie(request)
    return {"person": None}
