"""Following players, and messages between friends (two who follow each other). For accounts only."""

from __future__ import annotations

import contextlib
import time
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import APIRouter, Query, Request
from sqlalchemy.exc import IntegrityError

from tercet.answers.names import clean
from tercet.server.api.accounts import account_of
from tercet.server.api.social import blocks_between, find_person
from tercet.server.errors import ApiError, Json
from tercet.server.people.identity import People, people_of, person_of
from tercet.server.store.schema import FOLLOWS, MESSAGES, PEOPLE
from tercet.server.wire.people import MAX_MESSAGE_CHARACTERS, HandleRequest, MessageRequest

router = APIRouter(tags=["people"])
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


@router.get("/api/me/follows")
async def follows(request: Request) -> Json:
    """List the players whom you follow."""
    people, person = people_of(request), await person_of(request)
    if person is None:
        return Json({"follows": []})
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
    return Json({"follows": [{**row._mapping, "friend": bool(row.friend)} for row in rows]})


@router.post("/api/me/follows")
async def follow(ask: HandleRequest, request: Request) -> Json:
    """Follow a player. Two who follow each other are friends, and may write to each other."""
    people, person = people_of(request), await account_of(request)
    other = await find_person(people, ask.handle)
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


@router.delete("/api/me/follows/{handle}")
async def unfollow(handle: str, request: Request) -> Json:
    """Stop following a player."""
    people, person = people_of(request), await account_of(request)
    other = await find_person(people, handle)
    await people.database.change(
        sa.delete(FOLLOWS).where((FOLLOWS.c.person_id == person.id) & (FOLLOWS.c.other_id == other.id))
    )
    return await follows(request)


@router.get("/api/messages/{handle}")
async def messages(
    handle: str, request: Request, before: Annotated[int | None, Query(ge=1, lt=1 << 31)] = None
) -> Json:
    """Return your messages with a player, and mark them as read."""
    people, person = people_of(request), await account_of(request)
    other = await find_person(people, handle)
    return await _messages(people, person.id, other.id, before)


async def _messages(people: People, person_id: str, other_id: str, before: int | None) -> Json:
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
    return Json({"messages": messages, "more": more, "friend": friend})


@router.post("/api/messages/{handle}", status_code=201)
async def write(handle: str, ask: MessageRequest, request: Request) -> Json:
    """Write to a friend."""
    people, person = people_of(request), await account_of(request)
    other = await find_person(people, handle)
    text = clean(ask.text, MAX_MESSAGE_CHARACTERS)
    if not text:
        raise ApiError("bad-message", "text", "The message must not be empty.")
    if not all(await relation(people, person.id, other.id)) or await blocks_between(people, person.id, [other.id]):
        raise ApiError("not-allowed", "message", "You can only write to friends: players who follow you back.")
    people.lines.check("message", "You have sent too many messages. Wait a moment.", person.id)
    await people.database.change(MESSAGES.insert().values(from_id=person.id, to_id=other.id, text=text, at=time.time()))
    answer = await _messages(people, person.id, other.id, None)
    answer.status_code = 201
    return answer
