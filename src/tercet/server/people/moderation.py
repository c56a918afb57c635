"""The operator's actions on people, in the database, whether or not the server runs (``tercet people``)."""

from __future__ import annotations

import datetime
import secrets
import time
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from tercet.answers.names import DELETED
from tercet.errors import TercetError
from tercet.server.people import names
from tercet.server.people.credentials import once
from tercet.server.people.identity import People, seat_tokens_revoked
from tercet.server.people.names import is_handle
from tercet.server.store.database import Database
from tercet.server.store.schema import (
    ANALYSES,
    CONDITIONAL_MOVES,
    EVENTS,
    KEY_VALUES,
    METADATA,
    PEOPLE,
    REPORTS,
    SEATS,
    SESSIONS,
    TABLES,
    TALK,
)

# The tables of which all rows that name a person are deleted with them. Games, challenges and tournaments see that they
# are gone.
_TIES = (
    "notice_devices notice_settings vacations sessions blocks follows messages seeks emails recovery puzzle_tries "
    "puzzle_ratings lesson_progress name_skeletons analysis_editors analyses"
)


async def delete_person(people: People, person_id: str) -> None:
    """Delete a person's name, handle, password, sessions, blocks and chat; their seats and the basis of others'
    ratings stay. Reported lines are hidden, and kept until a moderator has seen the report. A server takes them out of
    their games and tournaments (``tables.registry.let_leave``, ``store.tournaments``)."""
    gone = await people.database.write_alone(lambda connection: _delete(connection, person_id))
    await people.ended({*gone, person_id})
    await people.changed(person_id, gone=True)


def _delete(connection: sa.Connection, person_id: str) -> Sequence[str]:
    """Return the ids of the sessions that are over."""
    now = time.time()
    row = connection.execute(sa.select(PEOPLE).where(PEOPLE.c.id == person_id)).first()
    gone = connection.scalars(sa.select(SESSIONS.c.id).where(SESSIONS.c.person_id == person_id)).all()
    connection.execute(seat_tokens_revoked(person_id))
    for table in (METADATA.tables[name] for name in _TIES.split()):
        theirs = [column == person_id for column in table.c if column.references(PEOPLE.c.id)]
        connection.execute(sa.delete(table).where(sa.or_(*theirs)))
    same_table = SEATS.c.table_id == CONDITIONAL_MOVES.c.table_id
    sat = sa.select(SEATS.c.seat).where(same_table & (SEATS.c.person_id == person_id))
    connection.execute(CONDITIONAL_MOVES.delete().where(CONDITIONAL_MOVES.c.seat.in_(sat)))
    connection.execute(REPORTS.update().where(REPORTS.c.person_id == person_id).values(person_id=None))
    open_reports = sa.select(REPORTS.c.talk_id).where(~REPORTS.c.handled & REPORTS.c.talk_id.is_not(None))
    text = sa.case((TALK.c.id.in_(open_reports), TALK.c.text), else_="")
    hidden = TALK.update().where(TALK.c.person_id == person_id)
    connection.execute(hidden.values(name=DELETED, hidden=True, text=text))
    _blank_names(connection, person_id)
    empty = {"name": DELETED, "handle": None, "password_hash": None, "deleted": now, "was": None}
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


class OfficeError(TercetError):
    """There is no such report, line or account."""


async def reports(database: Database, everything: bool = False) -> list[dict[str, Any]]:
    """Return the reports that have not been looked at (or all), the oldest first, with what they are about."""
    reporter, about = PEOPLE.alias("reporter"), PEOPLE.alias("about")
    by = (reporter.c.name.label("by"), reporter.c.kind.label("by_kind"))
    whom = (about.c.handle.label("about_handle"), about.c.name.label("about_name"), about.c.kind.label("about_kind"))
    query = (
        sa.select(REPORTS, *by, *whom, TALK.c.text.label("said"))
        .outerjoin(reporter, reporter.c.id == REPORTS.c.person_id)
        .outerjoin(about, about.c.id == REPORTS.c.about)
        .outerjoin(TALK, TALK.c.id == REPORTS.c.talk_id)
        .order_by(REPORTS.c.id)
    )
    if not everything:
        query = query.where(~REPORTS.c.handled)
    return [
        {
            "report": row.id,
            "at": datetime.datetime.fromtimestamp(row.at, datetime.UTC).strftime("%Y-%m-%d %H:%M"),
            "by": row.by,
            "by_kind": row.by_kind,
            "about": row.about_handle or row.about_name,
            "about_kind": row.about_kind,
            "table": row.table_id,
            "talk": row.talk_id,
            "analysis": row.analysis_id,
            "said": row.said,
            "why": row.why,
            "handled": row.handled,
        }
        for row in await database.rows(query)
    ]


async def handled(database: Database, report: int) -> str:
    """Note that a report has been looked at."""
    if await database.change(REPORTS.update().where(REPORTS.c.id == report).values(handled=True)) != 1:
        raise OfficeError(f"There is no report {report}.")
    return f"Report {report} has been looked at."


async def hide(database: Database, line: int) -> str:
    """Hide a chat line, and mark its reports as handled."""
    changed = await database.change(
        REPORTS.update().where(REPORTS.c.talk_id == line).values(handled=True),
        TALK.update().where(TALK.c.id == line).values(hidden=True),
    )
    if changed != 1:
        raise OfficeError(f"There is no chat message {line}.")
    return f"What was said under the number {line} is hidden."


async def unshare(database: Database, analysis: str) -> str:
    """Make an analysis private, and mark its reports as handled."""
    changed = await database.change(
        REPORTS.update().where(REPORTS.c.analysis_id == analysis).values(handled=True),
        ANALYSES.update().where(ANALYSES.c.id == analysis).values(access="private"),
    )
    if changed != 1:
        raise OfficeError(f"There is no analysis {analysis[:30]!r}.")
    return f"The analysis {analysis} is private now."


async def _person(database: Database, handle: str) -> sa.Row[Any]:
    if is_handle(handle):
        row = await database.first(sa.select(PEOPLE).where(PEOPLE.c.handle == handle.lower()))
        if row is not None:
            return row
    raise OfficeError(f"There is no account {handle[:30]!r}.")


async def close_account(database: Database, handle: str) -> str:
    """Close the account: it accepts no sign-ins, and its handle stays taken. Its games stay, but a server takes it out
    of those in progress, and out of tournaments."""
    person = await _person(database, handle)
    gone = await database.change(
        seat_tokens_revoked(person.id),
        PEOPLE.update().where(PEOPLE.c.id == person.id).values(deleted=time.time(), password_hash=None),
        REPORTS.update().where(REPORTS.c.about == person.id).values(handled=True),
        sa.delete(SESSIONS).where(SESSIONS.c.person_id == person.id),
    )
    return f"The account {person.handle} is closed; {gone} sessions and tokens are over."


async def change_kind(database: Database, handle: str, kind: str) -> str:
    """Have clients mark an account as a moderator's (``staff``) wherever its name is shown, or no more (``account``).
    A moderator can also call off tournaments, and take over those whose organisers are gone."""
    before, after = ("account", "staff") if kind == "staff" else ("staff", "account")
    says = "is marked as a moderator's" if kind == "staff" else "is an ordinary one"
    person = await _person(database, handle)
    whose = (PEOPLE.c.id == person.id) & (PEOPLE.c.kind == before)
    changed = await database.change(PEOPLE.update().where(whose).values(kind=after))
    if changed != 1 and person.kind != after:
        raise OfficeError(f"{person.handle} is a bot, and bots cannot be moderators.")
    return f"The account {person.handle} {says}."


async def delete_account(people: People, handle: str) -> str:
    """Delete an account as its owner could."""
    person = await _person(people.database, handle)
    await delete_person(people, person.id)
    return f"The account {person.handle} is deleted."


async def reset_password(people: People, handle: str) -> str:
    """Return a new password that is good for signing in once, to choose another; all sessions and tokens are over."""
    person = await _person(people.database, handle)
    if person.deleted is not None:
        raise OfficeError(f"The account {person.handle} is closed.")
    password = "-".join(secrets.token_hex(2) for _ in range(5))
    made = once(await people.passwords.hash(password))
    await people.database.change(
        sa.delete(SESSIONS).where(SESSIONS.c.person_id == person.id),
        seat_tokens_revoked(person.id),
        PEOPLE.update().where(PEOPLE.c.id == person.id).values(password_hash=made),
    )
    return f"{person.handle} signs in once with {password} and then chooses a password."
