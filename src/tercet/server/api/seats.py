"""Endpoints of a table's seats: take one that is open, leave it again, replace its link."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Annotated

import sqlalchemy as sa
from fastapi import APIRouter, Path, Request

from tercet.answers.names import clean
from tercet.play.session import LeaveSeat, LogEvent, RenewLink, Session, SessionError, Step, TakeSeat
from tercet.server.api.access import entered, tokens_of
from tercet.server.api.social import blocks_between
from tercet.server.errors import ApiError, Json
from tercet.server.people.free_names import free_name
from tercet.server.people.identity import Person, people_of, person_for, person_of, remember
from tercet.server.store.table_data import SeatAccess, hash_token
from tercet.server.tables.rated import draw_lots, move_seats
from tercet.server.tables.table import Table
from tercet.server.wire.tables import LinkRequest, SitRequest

router = APIRouter(tags=["tables"])
SeatNumber = Annotated[int, Path(ge=0, le=8)]


def _may_sit(table: Table, seat: int, person: Person) -> None:
    asked = table.occupants.get(seat)
    waits = seat in table.session.waiting
    if waits and table.session.seats[seat].kind == "bot" and (asked is None or asked.person_id != person.id):
        raise SessionError("not-allowed", "seat", "This seat is reserved for a bot.")
    if waits and table.info.rated and person.kind == "guest":
        raise SessionError("not-signed-in", "seat", "You need an account for rated games. Sign in first.")
    if waits and any(other.person_id == person.id and at != seat for at, other in table.occupants.items()):
        raise SessionError("not-allowed", "seat", "You already have a seat in this game.")


def _sits_already(table: Table, seat: int, person: Person) -> int | None:
    """Return the seat that this person has, if asking for ``seat`` is the same request again."""
    sits = [at for at, other in table.occupants.items() if other.person_id == person.id]
    again = any(at not in table.session.waiting and (at == seat or table.info.rated) for at in sits)
    return sits[0] if again else None


@router.post(
    "/api/tables/{table_id}/seats/{seat}",
    status_code=201,
    responses={200: {"description": "You already sit there"}},
)
async def sit(table_id: str, seat: SeatNumber, request: Request, ask: SitRequest | None = None) -> Json:
    """Take an open seat. Only the answer has its token; a player whom the server knows needs none. A rated game draws
    the seats when the last one is taken: ``seat`` in the answer is the one drawn. Sent again with the same ``id``, it
    gets the same answer."""
    async with entered(request, table_id) as entry:
        table, secret = entry.table, None if ask is None else ask.id
        person = await person_for(request, secret and f"{table_id} {secret}")
        token = people_of(request).sign(f"sit {table_id} {seat} {secret or secrets.token_hex()} {person.id}")
        if (sits := _sits_already(table, seat, person)) is not None:
            return _seated(table, sits, token)
        others = [other.person_id for at, other in table.occupants.items() if at != seat]
        others += [] if table.info.creator in (None, person.id) else [table.info.creator]
        if others and await blocks_between(people_of(request), person.id, others):
            raise ApiError("not-allowed", "seat", "This seat is not open to you.")
        name = "" if ask is None else clean(ask.name or "")
        if name:
            name = await free_name(people_of(request), name, person)
        await remember(request, person)

        def decide(session: Session, now: int) -> list[Step]:
            _may_sit(table, seat, person)
            return session.apply(TakeSeat(seat, name, draw_lots(len(session.seats)) if table.info.rated else None), now)

        def also(connection: sa.Connection, events: Sequence[LogEvent]) -> None:
            move_seats(connection, table_id, events)

        try:
            await table.perform(decide, seats={seat: SeatAccess(hash_token(token), person.id)}, also=also)
        except SessionError:  # unless the same request was done meanwhile
            if _sits_already(table, seat, person) is None:
                raise
        sits = _sits_already(table, seat, person)  # where the seats are drawn, it may be another one
        return _seated(table, seat if sits is None else sits, token)


def _seated(table: Table, seat: int, token: str) -> Json:
    """Return the answer to a person who sits already: the first one again if ``token`` opened a seat with it."""
    opened, _ = table.seats_of([token])
    if opened:
        return Json({"id": table.id, "seat": min(opened), "token": token}, 201)
    return Json({"id": table.id, "seat": seat, "token": None})


@router.delete("/api/tables/{table_id}/seats/{seat}")
async def stand(table_id: str, seat: SeatNumber, request: Request) -> Json:
    """Leave your seat before the game has begun."""
    async with entered(request, table_id) as entry:
        table, client = entry.table, entry.client
        taken = sum(event.kind == "sit" and event.data["seat"] == seat for event in table.log)
        who = " ".join((client.person_id or "", *client.tokens))

        def decide(session: Session, now: int) -> list[Step]:
            return session.apply(LeaveSeat(table.seats_of(client.tokens, client.person_id)[0], seat), now)

        asked = table.occupants.get(seat)
        kept = seat < len(table.settings.seats) and table.settings.seats[seat].kind == "bot" and asked is not None
        place = SeatAccess(None, asked.person_id if kept and asked is not None else None)
        number = await table.perform(decide, request_id=hash_token(f"stand {seat} {taken} {who}"), seats={seat: place})
        return Json({"id": table_id, "number": number})


@router.post("/api/tables/{table_id}/seats/{seat}/link", status_code=201)
async def link(table_id: str, seat: SeatNumber, request: Request, ask: LinkRequest | None = None) -> Json:
    """Return a new link to a seat; the old one opens it no longer. For the seat's player, and for the table's
    creator until a known person takes the seat. Sent again with the same ``id``, it gets the same answer."""
    token, request_id = secrets.token_urlsafe(24), None
    if ask is not None and ask.id is not None:  # it is made of the id and of what opened the seat: a client needs both
        person = await person_of(request)
        who = " ".join(("" if person is None else person.id, *tokens_of(request)))
        token = people_of(request).sign(f"link {table_id} {seat} {ask.id} {who}")
        request_id = hash_token(f"link {token}")
    async with entered(request, table_id, token) as entry:
        table, client = entry.table, entry.client

        def decide(session: Session, now: int) -> list[Step]:
            occupant = table.occupants.get(seat)
            holds = seat in table.seats_of(client.tokens, client.person_id)[0]
            if not holds and not (client.opened and occupant is None):
                raise SessionError("not-your-seat", "seat", "This seat is not yours.")
            return session.apply(RenewLink(seat), now)

        occupant = table.occupants.get(seat)
        place = SeatAccess(hash_token(token), None if occupant is None else occupant.person_id)
        await table.perform(decide, request_id=request_id, seats={seat: place})
        return Json({"id": table_id, "seat": seat, "link": f"/t/{table_id}#seat={token}"}, 201)
