"""Challenges: a table opened for another person, who may accept or decline."""

from __future__ import annotations

import time
from typing import Annotated, Any

import sqlalchemy as sa
from fastapi import Request
from sqlalchemy.exc import IntegrityError

from tercet.answers.addresses import address
from tercet.answers.fields import Limit
from tercet.server import wire
from tercet.server.api.access import entered
from tercet.server.api.accounts import Handle, account_of
from tercet.server.api.social import blocks_between, find_person
from tercet.server.errors import ApiError
from tercet.server.lobby import fairly
from tercet.server.people.identity import People, Person, people_of, person_of
from tercet.server.people.notices import Notice
from tercet.server.services import services_of
from tercet.server.store.schema import CHALLENGES, FOLLOWS, PEOPLE, TABLES

MOST_WAITING = 20  # challenges of one person that wait for an answer, and that are listed
MAX_READ = 500  # challenges to one person that take turns in the list
# Whether the person who was challenged follows the challenger.
_FOLLOWS = sa.exists().where((FOLLOWS.c.person_id == CHALLENGES.c.to_id) & (FOLLOWS.c.other_id == CHALLENGES.c.from_id))
TableId = Annotated[str, Limit(32, pattern="^[A-Za-z0-9]+$")]


def _waiting(mine: sa.ColumnElement[str], other: sa.ColumnElement[str], person_id: str) -> sa.Select[Any]:
    """Return the query of the challenges of which ``mine`` is the person; ``other`` is named."""
    return (
        sa.select(CHALLENGES, PEOPLE.c.handle, PEOPLE.c.name, PEOPLE.c.kind, _FOLLOWS.label("follows"))
        .join(TABLES, TABLES.c.id == CHALLENGES.c.table_id)
        .join(PEOPLE, PEOPLE.c.id == other)
        .where((mine == person_id) & (TABLES.c.waiting > 0) & ~TABLES.c.over)
        .order_by(CHALLENGES.c.at.desc())
    )


@address("POST /api/challenges", wire.ChallengesResponse, status=201)
async def challenge(request: Request, handle: Handle, table: TableId) -> Any:
    """Offer a player a seat at one of your tables."""
    people, person = people_of(request), await account_of(request)
    other = await find_person(people, handle)
    if other.id == person.id:
        raise ApiError("bad-message", "handle", "You cannot challenge yourself.")
    if other.kind == "bot":
        raise ApiError("not-possible", "handle", "This is a bot. Invite it to a seat of the game instead.")
    if await blocks_between(people, person.id, [other.id]):
        raise ApiError("not-allowed", "handle", "You cannot challenge this player.")
    if await _challenged_to(people, table, person.id) != other.id:  # else it is sent again
        await _may_challenge(table, request, person)
        row = {"table_id": table, "from_id": person.id, "to_id": other.id, "at": time.time()}
        try:
            await people.database.change(CHALLENGES.insert().values(**row))
        except IntegrityError:
            if await _challenged_to(people, table, person.id) != other.id:
                raise ApiError("taken", "table", "This game has already been offered to a player.") from None
        else:
            await _notify(request, table, person, other.id)
    await services_of(request).lobby.announce(table, [other.id])
    return await challenges(request)


async def _notify(request: Request, table_id: str, person: Person, other_id: str) -> None:
    """Tell the other player of a challenge, if they want to know and are not here."""
    notices = services_of(request).notices
    if other_id in notices.reachable:
        game = await people_of(request).database.scalar(sa.select(TABLES.c.game).where(TABLES.c.id == table_id))
        notices.tell(Notice("challenge", other_id, f"/t/{table_id}", [person.name], game))


async def _challenged_to(people: People, table_id: str, person_id: str) -> str | None:
    """Return the person whom this one has challenged to the table."""
    mine = (CHALLENGES.c.table_id == table_id) & (CHALLENGES.c.from_id == person_id)
    found: str | None = await people.database.scalar(sa.select(CHALLENGES.c.to_id).where(mine))
    return found


async def _may_challenge(table: str, request: Request, person: Person) -> None:
    """Raise ApiError unless ``person`` may offer the table to another player, and has not offered too many."""
    async with entered(request, table) as entry:
        free = [seat for seat in entry.table.session.waiting if entry.table.session.seats[seat].kind == "open"]
        if not entry.client.opened or not free or entry.table.session.is_over:
            raise ApiError("not-allowed", "table", "You can only offer a game of yours that waits for a player.")
    sent = _waiting(CHALLENGES.c.from_id, CHALLENGES.c.to_id, person.id).subquery()
    count = sa.select(sa.func.count()).select_from(sent)
    if (await people_of(request).database.scalar(count) or 0) >= MOST_WAITING:
        why = f"You already have {MOST_WAITING} unanswered challenges. Withdraw one first."
        raise ApiError("too-many", "challenges", why)


@address("GET /api/me/challenges", wire.ChallengesResponse)
async def challenges(request: Request) -> Any:
    """List the challenges that you received, those of people whom you follow first, and those that you sent."""
    person = await person_of(request)
    if person is None or person.kind == "guest":
        return {"challenges": [], "sent": []}
    ends, database = (CHALLENGES.c.to_id, CHALLENGES.c.from_id), people_of(request).database
    made = _waiting(*ends[::-1], person.id).limit(MOST_WAITING)
    latest = (_FOLLOWS.desc(), CHALLENGES.c.at.desc())
    received = _waiting(*ends, person.id).order_by(None).order_by(*latest).limit(MAX_READ)
    challenges, sent = [], [{"table": row.table_id, "to": _named(row)} for row in await database.rows(made)]
    turn_of = services_of(request).lobby.turn_of
    rows = fairly(
        await database.rows(received),
        lambda row: turn_of(row.from_id),
        lambda row: row.from_id,
        lambda row: (not row.follows, -row.at),
    )
    for row in sorted(rows, key=lambda row: not row.follows)[:MOST_WAITING]:
        async with entered(request, row.table_id) as entry:
            session = entry.table.session
            free = [seat for seat in session.waiting if session.seats[seat].kind == "open"]
            if not free:
                continue
            challenges.append(
                {
                    "table": row.table_id,
                    "seat": free[0],
                    "by": _named(row),
                    "game": session.settings.game,
                    "title": session.game.definition.title,
                    "optionText": session.game.option_text(),
                    "clock": session.settings.clock,
                    "rated": entry.table.info.rated,
                    "player": session.game.players[free[0]],
                    "at": round(1000 * row.at),
                }
            )
    return {"challenges": challenges, "sent": sent}


def _named(row: sa.Row[Any]) -> dict[str, Any]:
    return {"handle": row.handle, "name": row.name, "kind": row.kind}


@address("DELETE /api/me/challenges/{table_id}", wire.ChallengesResponse)
async def decline(table_id: TableId, request: Request) -> Any:
    """Decline a challenge: the table is given up. Sent again, it changes nothing."""
    people, person = people_of(request), await account_of(request)
    mine = (CHALLENGES.c.table_id == table_id) & (CHALLENGES.c.to_id == person.id)
    by = await people.database.scalar(sa.select(CHALLENGES.c.from_id).where(mine))
    if by is None:
        raise ApiError("not-found", "table", "This challenge is not for you.")
    lobby = services_of(request).lobby
    await lobby.give_up(table_id, "declined")
    await lobby.announce(table_id, [by])
    return await challenges(request)
