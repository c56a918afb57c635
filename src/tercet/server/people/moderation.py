"""The operator's actions on people, in the database, whether or not the server runs (``tercet people``)."""

from __future__ import annotations

import datetime
import secrets
import time
from typing import Any

import sqlalchemy as sa

from tercet.errors import TercetError
from tercet.server.people.account_deletion import delete_person
from tercet.server.people.identity import People, seat_tokens_revoked
from tercet.server.people.names import is_handle
from tercet.server.people.passwords import once
from tercet.server.store.database import Database
from tercet.server.store.schema import PEOPLE, REPORTS, SESSIONS, TALK


class OfficeError(TercetError):
    """There is no such report, line or account."""


async def reports(database: Database, everything: bool = False) -> list[dict[str, Any]]:
    """Return the reports that have not been looked at (or all), the oldest first, with what they are about."""
    reporter, about = PEOPLE.alias("reporter"), PEOPLE.alias("about")
    found = (
        sa.select(
            REPORTS,
            reporter.c.name.label("by"),
            about.c.handle.label("about_handle"),
            about.c.name.label("about_name"),
            reporter.c.kind.label("by_kind"),
            about.c.kind.label("about_kind"),
            TALK.c.text.label("said"),
        )
        .outerjoin(reporter, reporter.c.id == REPORTS.c.person_id)
        .outerjoin(about, about.c.id == REPORTS.c.about)
        .outerjoin(TALK, TALK.c.id == REPORTS.c.talk_id)
        .order_by(REPORTS.c.id)
    )
    if not everything:
        found = found.where(~REPORTS.c.handled)
    rows = await database.rows(found)
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
            "said": row.said,
            "why": row.why,
            "handled": row.handled,
        }
        for row in rows
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


async def make_moderator(database: Database, handle: str) -> str:
    """Have clients mark an account as a moderator's wherever its name is shown. It can also call off tournaments, and
    take over those whose organisers are gone."""
    return await _change_kind(database, handle, "account", "staff", "is marked as a moderator's")


async def make_member(database: Database, handle: str) -> str:
    """Remove a moderator's mark from an account."""
    return await _change_kind(database, handle, "staff", "account", "is an ordinary one")


async def _change_kind(database: Database, handle: str, before: str, after: str, says: str) -> str:
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
