"""Blocks and reports."""

from __future__ import annotations

import contextlib
import time
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import Request
from sqlalchemy.exc import IntegrityError

from tercet.answers.addresses import address
from tercet.answers.fields import Limit
from tercet.answers.names import clean
from tercet.server import wire
from tercet.server.api.accounts import Handle, account_of
from tercet.server.errors import ApiError
from tercet.server.people.identity import People, people_of, person_for, person_of, remember
from tercet.server.people.names import is_handle
from tercet.server.people.notices import Notice
from tercet.server.services import services_of
from tercet.server.store.schema import ANALYSES, BLOCKS, FOLLOWS, MESSAGES, PEOPLE, REPORTS, TABLES, TALK

MAX_MESSAGE_CHARACTERS = 1000  # to a friend
MAX_BLOCKS = 500  # people that one person blocks


async def find_person(people: People, handle: str) -> sa.Row[Any]:
    """Return the account or bot with this handle. Raise ApiError if there is none."""
    row = await people.with_handle(handle)
    if row is None:
        raise ApiError("not-found", "handle", "There is no player with this username.")
    return row


async def blocks_between(people: People, person_id: str, others: list[str]) -> bool:
    """Return whether a person has blocked one of ``others`` (ids), or one of them the person."""
    one_way = (BLOCKS.c.person_id == person_id) & BLOCKS.c.other_id.in_(others)
    other_way = (BLOCKS.c.other_id == person_id) & BLOCKS.c.person_id.in_(others)
    return await people.database.first(sa.select(BLOCKS).where(one_way | other_way)) is not None


@address("GET /api/me/blocks", wire.BlocksResponse)
async def blocks(request: Request) -> Any:
    """List the players whom you have blocked."""
    people, person = people_of(request), await person_of(request)
    if person is None:
        return {"blocks": []}
    found = (
        sa.select(PEOPLE.c.handle, PEOPLE.c.name, PEOPLE.c.kind)
        .join(BLOCKS, BLOCKS.c.other_id == PEOPLE.c.id)
        .where(BLOCKS.c.person_id == person.id)
        .order_by(PEOPLE.c.handle)
    )
    return {"blocks": [row._asdict() for row in await people.database.rows(found)]}


@address("POST /api/me/blocks", wire.BlocksResponse)
async def block(request: Request, handle: Handle) -> Any:
    """Block a player: neither can join the other's open games, follow or write to the other, and the blocker no
    longer reads their chat."""
    people = people_of(request)
    other = await find_person(people, handle)
    person = await person_for(request)
    if other.id == person.id:
        raise ApiError("bad-message", "handle", "You cannot block yourself.")
    mine = sa.select(sa.func.count()).select_from(BLOCKS).where(BLOCKS.c.person_id == person.id)
    if await people.database.scalar(mine) >= MAX_BLOCKS:
        raise ApiError("too-many", "blocks", f"You already block {MAX_BLOCKS} players, the maximum.")
    await remember(request, person)
    both = (person.id, other.id)
    with contextlib.suppress(IntegrityError):  # blocked already
        await people.database.change(
            BLOCKS.insert().values(person_id=person.id, other_id=other.id),
            sa.delete(FOLLOWS).where(FOLLOWS.c.person_id.in_(both) & FOLLOWS.c.other_id.in_(both)),
        )
    return await blocks(request)


@address("DELETE /api/me/blocks/{handle}", wire.BlocksResponse)
async def unblock(handle: str, request: Request) -> Any:
    """Unblock a player."""
    people = people_of(request)
    other = await find_person(people, handle)
    person = await person_of(request)
    if person is not None:
        mine = (BLOCKS.c.person_id == person.id) & (BLOCKS.c.other_id == other.id)
        await people.database.change(sa.delete(BLOCKS).where(mine))
    return await blocks(request)


Talk = Annotated[int, Limit(least=1, below=1 << 31)]  # the number of a chat message
Why = Annotated[str, Limit(500, 1)]


async def report(
    request: Request, table: str | None, talk: int | None, handle: str | None, why: str, analysis: str | None = None
) -> Any:
    """Note a report for the operator. It says nothing of whether what it names exists."""
    people = people_of(request)
    person = await person_for(request)
    people.reports.check("report", "You have sent too many reports. Wait a moment.", person.id)
    why = "".join(character for character in why if character.isprintable() or character == "\n").strip()
    if not why:
        raise ApiError("bad-message", "why", "Describe what is wrong.")
    await remember(request, person)
    database, about, line = people.database, None, None
    if handle is not None and is_handle(handle):
        about = await database.scalar(sa.select(PEOPLE.c.id).where(PEOPLE.c.handle == handle.lower()))
    if talk is not None:
        line = await database.first(sa.select(TALK).where(TALK.c.id == talk))
        line = line if line is not None and table in (None, line.table_id) else None
    row = {"person_id": person.id, "table_id": None, "talk_id": None, "about": about, "why": why, "at": time.time()}
    row["analysis_id"] = None
    if analysis is not None:
        asked = sa.select(ANALYSES.c.id, ANALYSES.c.person_id).where(ANALYSES.c.id == analysis)
        shared = await database.first(asked.where(ANALYSES.c.access != "private"))
        row |= {} if shared is None else {"analysis_id": shared.id, "about": about or shared.person_id}
    if line is not None:
        row |= {"table_id": line.table_id, "talk_id": line.id, "about": about or line.person_id}
    elif table is not None:
        row["table_id"] = await database.scalar(sa.select(TABLES.c.id).where(TABLES.c.id == table))
    await database.change(REPORTS.insert().values(**row))
    return {"noted": True}


@address("POST /api/reports", wire.NotedResponse, status=201)
async def report_something(
    request: Request,
    why: Why,
    table: Annotated[str, Limit(32, pattern="^[A-Za-z0-9_-]*$")] | None = None,
    talk: Talk | None = None,
    handle: Handle | None = None,
    analysis: Annotated[str, Limit(16, pattern="^[0-9a-f]*$")] | None = None,
) -> Any:
    """Report a player, a chat message (``talk``: its number), a table or a saved analysis to the operator."""
    if table is None and talk is None and handle is None and analysis is None:
        raise ApiError("bad-message", "handle", "A report must name a game, a chat message, a player or an analysis.")
    return await report(request, table, talk, handle, why, analysis)


@address("POST /api/tables/{table_id}/report", wire.NotedResponse, status=201)
async def report_table(
    request: Request,
    table_id: str,
    why: Why,
    table: str | None = None,
    talk: Talk | None = None,
    handle: Handle | None = None,
) -> Any:
    """Report this table to the operator."""
    if table not in (None, table_id) or not table_id.isalnum() or not table_id.isascii() or len(table_id) > 32:
        raise ApiError("bad-message", "table", "The field table must be the game in the address.")
    return await report(request, table_id, talk, handle, why)


MAX_FOLLOWED = 500  # people that one person follows
PAGE_MESSAGES = 50
BACK = FOLLOWS.alias("back")
IS_FRIEND = sa.exists().where((BACK.c.person_id == FOLLOWS.c.other_id) & (BACK.c.other_id == FOLLOWS.c.person_id))


async def relation(people: People, person_id: str, other_id: str) -> tuple[bool, bool]:
    """Return whether a person follows another, and is followed back."""
    one = (FOLLOWS.c.person_id == person_id) & (FOLLOWS.c.other_id == other_id)
    other = (FOLLOWS.c.person_id == other_id) & (FOLLOWS.c.other_id == person_id)
    found = await people.database.scalars(sa.select(FOLLOWS.c.person_id).where(one | other))
    return person_id in found, other_id in found


@address("GET /api/me/follows", wire.FollowsResponse)
async def follows(request: Request) -> Any:
    """List the players whom you follow."""
    people, person = people_of(request), await person_of(request)
    if person is None:
        return {"follows": []}
    unread = (
        sa.select(sa.func.count())
        .where((MESSAGES.c.from_id == FOLLOWS.c.other_id) & (MESSAGES.c.to_id == person.id) & ~MESSAGES.c.read)
        .scalar_subquery()
    )
    found = (
        sa.select(PEOPLE.c.handle, PEOPLE.c.name, PEOPLE.c.kind, IS_FRIEND.label("friend"), unread.label("unread"))
        .join(PEOPLE, PEOPLE.c.id == FOLLOWS.c.other_id)
        .where(FOLLOWS.c.person_id == person.id)
        .order_by(PEOPLE.c.handle)
    )
    rows = await people.database.rows(found)
    return {"follows": [{**row._mapping, "friend": bool(row.friend)} for row in rows]}


@address("POST /api/me/follows", wire.FollowsResponse)
async def follow(request: Request, handle: Handle) -> Any:
    """Follow a player. Two who follow each other are friends, and may write to each other."""
    people, person = people_of(request), await account_of(request)
    other = await find_person(people, handle)
    if other.id == person.id:
        raise ApiError("bad-message", "handle", "You cannot follow yourself.")
    if await blocks_between(people, person.id, [other.id]):
        raise ApiError("not-allowed", "handle", "You cannot follow this player.")
    mine = FOLLOWS.c.person_id == person.id
    if await people.database.scalar(sa.select(sa.func.count()).where(mine)) >= MAX_FOLLOWED:
        raise ApiError("too-many", "follows", f"You already follow {MAX_FOLLOWED} players, the maximum.")
    with contextlib.suppress(IntegrityError):  # already followed
        await people.database.change(FOLLOWS.insert().values(person_id=person.id, other_id=other.id, at=time.time()))
    return await follows(request)


@address("DELETE /api/me/follows/{handle}", wire.FollowsResponse)
async def unfollow(handle: str, request: Request) -> Any:
    """Stop following a player."""
    people, person = people_of(request), await account_of(request)
    other = await find_person(people, handle)
    mine = (FOLLOWS.c.person_id == person.id) & (FOLLOWS.c.other_id == other.id)
    await people.database.change(sa.delete(FOLLOWS).where(mine))
    return await follows(request)


@address("GET /api/messages/{handle}", wire.MessagesResponse)
async def messages(handle: str, request: Request, before: Talk | None = None) -> Any:
    """Return your messages with a player, and mark them as read."""
    people, person = people_of(request), await account_of(request)
    other = await find_person(people, handle)
    return await _messages(people, person.id, other.id, before)


async def _messages(people: People, person_id: str, other_id: str, before: int | None) -> Any:
    theirs = (MESSAGES.c.from_id == other_id) & (MESSAGES.c.to_id == person_id)
    both = theirs | ((MESSAGES.c.from_id == person_id) & (MESSAGES.c.to_id == other_id))
    found = sa.select(MESSAGES).where(both).order_by(MESSAGES.c.id.desc()).limit(PAGE_MESSAGES + 1)
    if before is not None:
        found = found.where(MESSAGES.c.id < before)
    rows = await people.database.rows(found)
    if any(row.to_id == person_id and not row.read for row in rows):
        await people.database.change(MESSAGES.update().where(theirs & ~MESSAGES.c.read).values(read=True))
    messages: list[dict[str, Any]] = [
        {"id": row.id, "mine": row.from_id == person_id, "text": row.text, "at": round(1000 * row.at)}
        for row in rows[:PAGE_MESSAGES]
    ]
    friend = all(await relation(people, person_id, other_id))
    more = rows[PAGE_MESSAGES - 1].id if len(rows) > PAGE_MESSAGES else None
    return {"messages": messages, "more": more, "friend": friend}


@address("POST /api/messages/{handle}", wire.MessagesResponse, status=201)
async def write(request: Request, handle: str, text: Annotated[str, Limit(MAX_MESSAGE_CHARACTERS, 1)]) -> Any:
    """Write to a friend."""
    people, person = people_of(request), await account_of(request)
    other = await find_person(people, handle)
    text = clean(text, MAX_MESSAGE_CHARACTERS)
    if not text:
        raise ApiError("bad-message", "text", "The message must not be empty.")
    if not all(await relation(people, person.id, other.id)) or await blocks_between(people, person.id, [other.id]):
        raise ApiError("not-allowed", "message", "You can only write to friends: players who follow you back.")
    people.lines.check("message", "You have sent too many messages. Wait a moment.", person.id)
    await people.database.change(MESSAGES.insert().values(from_id=person.id, to_id=other.id, text=text, at=time.time()))
    services_of(request).notices.tell(Notice("message", other.id, f"/@{person.handle}", [person.name]))
    return await _messages(people, person.id, other.id, None)
