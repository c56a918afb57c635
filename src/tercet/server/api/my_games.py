"""A person's games in progress, and whose turn it is in them: for the page's head."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from fastapi import Request

from tercet.answers import home
from tercet.answers.addresses import answers
from tercet.answers.tables import listed_table
from tercet.play.session import SessionError
from tercet.server.api.access import entered
from tercet.server.limits.budgets import Bounded
from tercet.server.people.identity import person_of
from tercet.server.services import services_of
from tercet.server.store.schema import SEATS, TABLES

MAX_GAMES = 40  # of a person in an answer, the latest
MAX_REMEMBERED_TABLES = 4000

# What was read of a table when its log had so many events; it stays true until it has more.
_read: Bounded[str, tuple[int, dict[str, Any]]] = Bounded(MAX_REMEMBERED_TABLES)


@answers(home.my_tables)
async def tables(request: Request, table: Sequence[str] = ()) -> Any:
    person = await person_of(request)
    mine = sa.select(SEATS.c.table_id).where(SEATS.c.person_id == (None if person is None else person.id))
    wanted: sa.ColumnElement[bool] = TABLES.c.id.in_(table)
    if person is not None:
        wanted |= TABLES.c.id.in_(mine) | (TABLES.c.creator == person.id) & (TABLES.c.waiting > 0)
    found = sa.select(TABLES.c.id, TABLES.c.number).where(wanted & ~TABLES.c.over).order_by(TABLES.c.opened.desc())
    rows = await services_of(request).registry.store.database.rows(found.limit(MAX_GAMES))
    found_games = []
    for row in rows:
        known = _read.get(row.id)
        if known is None or known[0] != row.number:
            known = await _look(request, row.id)
        if known is not None and (known[1]["watch"] != "private" or (person and person.id in known[1]["people"])):
            public = {name: value for name, value in known[1].items() if name not in ("people", "watch")}
            seats = known[1]["people"].get(None if person is None else person.id, [])
            found_games.append({**public, "yourSeats": seats})
    return {"tables": found_games}


async def _look(request: Request, table_id: str) -> tuple[int, dict[str, Any]] | None:
    try:
        async with entered(request, table_id) as entry:
            table, session = entry.table, entry.table.session
            people: dict[str, list[int]] = {}
            for seat, occupant in table.occupants.items():
                people.setdefault(occupant.person_id, []).append(seat)
            found: dict[str, Any] = {
                **listed_table(table.info, session, table.occupants),
                "people": people,
                "watch": session.settings.watch,
            }
            read = _read[table_id] = session.number, found
            return read
    except SessionError:
        return None
