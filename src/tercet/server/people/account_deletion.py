"""Deleting a person: what goes, and what stays for others."""

from __future__ import annotations

import time
from collections.abc import Sequence

import sqlalchemy as sa

from tercet.answers.names import DELETED
from tercet.server.people import names
from tercet.server.people.identity import People, seat_tokens_revoked
from tercet.server.store.schema import (
    BLOCKS,
    EMAILS,
    EVENTS,
    FOLLOWS,
    KEY_VALUES,
    LESSON_PROGRESS,
    MESSAGES,
    NAME_SKELETONS,
    PEOPLE,
    PUZZLE_RATINGS,
    PUZZLE_TRIES,
    RECOVERY,
    REPORTS,
    SEATS,
    SEEKS,
    SESSIONS,
    TABLES,
    TALK,
)

# What is deleted with a person: all rows that name them. Games, challenges and tournaments see that they are gone.
_TIES = (
    SESSIONS.c.person_id,
    BLOCKS.c.person_id,
    BLOCKS.c.other_id,
    FOLLOWS.c.person_id,
    FOLLOWS.c.other_id,
    MESSAGES.c.from_id,
    MESSAGES.c.to_id,
    SEEKS.c.person_id,
    EMAILS.c.person_id,
    RECOVERY.c.person_id,
    PUZZLE_TRIES.c.person_id,
    PUZZLE_RATINGS.c.person_id,
    LESSON_PROGRESS.c.person_id,
    NAME_SKELETONS.c.person_id,
)


async def delete_person(people: People, person_id: str) -> None:
    """Delete a person's name, handle, password, sessions, blocks and chat; their seats and the basis of others'
    ratings stay. Reported lines are hidden, and kept until a moderator has seen the report. A server takes them out of
    their games and tournaments (``tables.upkeep.let_leave``, ``tournaments.storage``)."""
    gone = await people.database.write_alone(lambda connection: _delete(connection, person_id))
    await people.ended({*gone, person_id})
    await people.changed(person_id, gone=True)


def _delete(connection: sa.Connection, person_id: str) -> Sequence[str]:
    """Return the ids of the sessions that are over."""
    now = time.time()
    row = connection.execute(sa.select(PEOPLE).where(PEOPLE.c.id == person_id)).first()
    gone = connection.scalars(sa.select(SESSIONS.c.id).where(SESSIONS.c.person_id == person_id)).all()
    connection.execute(seat_tokens_revoked(person_id))
    for column in _TIES:
        connection.execute(sa.delete(column.table).where(column == person_id))
    connection.execute(REPORTS.update().where(REPORTS.c.person_id == person_id).values(person_id=None))
    open_reports = sa.select(REPORTS.c.talk_id).where(~REPORTS.c.handled & REPORTS.c.talk_id.is_not(None))
    text = sa.case((TALK.c.id.in_(open_reports), TALK.c.text), else_="")
    hidden = TALK.update().where(TALK.c.person_id == person_id)
    connection.execute(hidden.values(name=DELETED, hidden=True, text=text))
    _blank_names(connection, person_id)
    empty = {"name": DELETED, "handle": None, "password_hash": None, "deleted": now}
    if row is None:
        connection.execute(PEOPLE.insert().values(id=person_id, kind="guest", created=now, **empty))
    else:
        connection.execute(PEOPLE.update().where(PEOPLE.c.id == person_id).values(**empty))
        if row.handle is not None:
            connection.execute(KEY_VALUES.insert().values(name=names.tombstone(row.handle), value=""))
    return gone


def _blank_names(connection: sa.Connection, person_id: str) -> None:
    """Remove the person's own names from the tables at which they sat, which then show the name of their row."""
    seats = sa.select(SEATS.c.table_id, SEATS.c.seat).where(SEATS.c.person_id == person_id)
    for table_id, seat in connection.execute(seats).all():
        setup = connection.scalar(sa.select(TABLES.c.setup).where(TABLES.c.id == table_id))
        if setup and seat < len(setup["seats"]) and setup["seats"][seat].get("name"):
            setup["seats"][seat]["name"] = ""
            connection.execute(TABLES.update().where(TABLES.c.id == table_id).values(setup=setup))
        sat = (EVENTS.c.table_id == table_id) & (EVENTS.c.kind == "sit")
        for number, data in connection.execute(sa.select(EVENTS.c.number, EVENTS.c.data).where(sat)).all():
            if data["seat"] == seat and data.get("name"):
                bare = {key: value for key, value in data.items() if key != "name"}
                connection.execute(EVENTS.update().where(sat & (EVENTS.c.number == number)).values(data=bare))
