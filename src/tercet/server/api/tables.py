"""Endpoints of tables: open one, look at it, its record, the socket on which it is played, hints for a player, and what
the game did to ratings."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Annotated, Any, Unpack

import sqlalchemy as sa
from fastapi import Request
from starlette.responses import PlainTextResponse, Response
from starlette.websockets import WebSocket

from tercet.answers import home
from tercet.answers.addresses import address, answers
from tercet.answers.fields import Action, Limit, Ply
from tercet.answers.names import clean
from tercet.answers.positions import hint_position, hinted
from tercet.answers.records import record_text
from tercet.answers.tables import past_position
from tercet.answers.translation import Translator
from tercet.answers.wire.client_messages import ClientMessage
from tercet.answers.wire.table_messages import ServerMessage
from tercet.core.presentation import HintStrength
from tercet.play.ratings import read_rating, shown
from tercet.play.session import LeaveSeat, LogEvent, RenewLink, Session, SessionError, Step, TakeSeat
from tercet.server import wire
from tercet.server.api.access import Entry, entered, tokens_of
from tercet.server.api.connection import TableSocket, farewell, open_socket, until_first
from tercet.server.api.opening import open_requested
from tercet.server.api.social import blocks_between
from tercet.server.errors import ApiError, Json, Unreachable
from tercet.server.limits.spenders import spender
from tercet.server.people.identity import Person, free_name, people_of, person_for, person_of, remember
from tercet.server.people.rating_updates import note_hint
from tercet.server.schema import socket
from tercet.server.services import language_of, services_of, share_of, until_gone, written
from tercet.server.store.logs import SeatAccess
from tercet.server.store.schema import HISTORY
from tercet.server.store.tables import ConditionalLines, draw_lots, hash_token, move_seats
from tercet.server.tables.conditional import MAX_ACTIONS, check_lines, left_of
from tercet.server.tables.state import Change
from tercet.server.tables.table import Table
from tercet.server.web.live_socket import SEND_NOW


@answers(home.open_table)
async def open_table(request: Request, **wish: Unpack[home.TableWish]) -> Any:
    return await open_requested(wish, request)


@answers(home.look)
async def look(request: Request, table_id: str) -> Response:
    async with entered(request, table_id) as entry:
        return written(await entry.table.snapshot(frozenset(), language=language_of(request)), request)


@answers(home.look_back)
async def look_back(request: Request, table_id: str, ply: int) -> Any:
    async with entered(request, table_id) as entry:
        session = entry.table.session
        return await services_of(request).compute(lambda: past_position(table_id, session, ply), request)


@answers(home.record)
async def table_record(request: Request, table_id: str, **how: Any) -> Response:
    async with entered(request, table_id) as entry:
        table = entry.table
        known = table.session, table.opened, tuple(table.log), dict(table.occupants)
        text = await services_of(request).compute(lambda: record_text(*known, **how), request)
    return PlainTextResponse(text)


@socket("/api/tables/{table_id}/live", ServerMessage, ClientMessage)
async def live(socket: WebSocket, table_id: str) -> None:
    """Follow a table and, with a seat's token or as the person who sits there, play."""
    async with open_socket(socket) as services, entered(socket, table_id) as entry:
        table, client = entry.table, entry.client
        if services.registry.lease.is_cut_off:
            raise Unreachable("This server has lost its database.")
        services.fair_share.budgets.check(spender(), "cpu", "bytes")
        if (language := language_of(socket)) != "en":
            client.translator = Translator(language, table.settings.game)
        await _settle(socket, entry)
        if not (entry.all_known or client.held):  # a player needs no link
            why = "This link opens no seat here. You are a spectator."
            client.tell(ApiError("not-your-seat", "seat", why).message())
        said = socket.query_params.get("since", "")
        since = int(said) if said.isascii() and said.isdigit() and len(said) < 8 else None
        await table.join(client, since)
        services.fair_share.budgets.spend(spender(), size=client.sent_characters)
        client.send_now = socket.scope.get(SEND_NOW, client.send_now)
        player = TableSocket(socket, entry, services)
        try:
            if table.presence.watchers > (not client.held):
                client.tell(table.here())
            await services.chat.replay(table, client)
            player.measure()
            await until_first(player.write(), player.read(), client.cut.wait())
        finally:
            table.leave(client)
        if client.cut.is_set():
            await farewell(socket, None, 1013)


async def _settle(socket: WebSocket, entry: Entry) -> None:
    """Give the seat of a token to the person who uses it, unless another person has it: from then on it is theirs
    wherever they sign in, and only there."""
    table, client, person = entry.table, entry.client, entry.person
    sitting = {occupant.person_id for occupant in table.occupants.values()}
    free = sorted(seat for seat in client.held if seat not in table.occupants)
    if person is None or person.id in sitting or not free or table.session.is_over:
        return
    await remember(socket, person)
    # The sender of the link knows it too: it opens the seat no longer.
    await table.reseat(free[0], SeatAccess(hash_token(secrets.token_urlsafe(24)), person.id))


# Hints and ratings --------------------------------------------------------------------------------------------------


@answers(home.hint)
async def table_hint(request: Request, table_id: str, strength: HintStrength, moves: Sequence[str] = ()) -> Any:
    services = services_of(request)
    async with entered(request, table_id) as entry:
        session = entry.table.session
        position = hint_position(session, entry.client.held, entry.table.info.rated, moves)
        services.fair_share.budgets.check(spender(), "engine")
        person = share_of(request) if entry.person is None else entry.person.id
        turn = await until_gone(request, services.engine_pool.suggest(position, person))
    ply = session.ply + len(moves)
    await people_of(request).database.write_alone(lambda connection: note_hint(connection, table_id))
    return await services.compute(lambda: hinted(position, ply, turn, strength), request)


@address("GET /api/tables/{table_id}/ratings", wire.RatingChanges)
async def rating_changes(table_id: str, request: Request) -> Any:
    """Return how the game changed the players' ratings."""
    async with entered(request, table_id) as entry:
        rated = entry.table.info.rated and entry.table.session.is_over
    if not rated:
        return {"counted": False, "seats": []}
    found = sa.select(HISTORY).where(HISTORY.c.table_id == table_id).order_by(HISTORY.c.seat)
    rows, seats = await people_of(request).database.rows(found), []
    for row in rows:
        before, after = (shown(read_rating(rating), 0.0) for rating in (row.before, row.after))
        change = {"before": before["rating"], "after": after["rating"], "provisional": after["provisional"]}
        seats.append({"seat": row.seat, **change})
    return {"counted": bool(rows), "seats": seats}


SeatNumber = Annotated[int, Limit(8, 0)]


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


@address("POST /api/tables/{table_id}/seats/{seat}", wire.SatDown, status=201)
async def sit(
    request: Request,
    table_id: str,
    seat: SeatNumber,
    id_: home.ClientSecret | None = None,
    name: Annotated[str, Limit(40)] | None = None,
) -> Any:
    """Take an open seat, with the ``name`` that you want at this table. Only the answer has its token; a player whom
    the server knows needs none. A rated game draws the seats when the last one is taken: ``seat`` in the answer is the
    one drawn. Sent again with the same ``id``, it gets the same answer."""
    async with entered(request, table_id) as entry:
        table = entry.table
        person = await person_for(request, id_ and f"{table_id} {id_}")
        token = people_of(request).sign(f"sit {table_id} {seat} {id_ or secrets.token_hex()} {person.id}")
        if (sits := _sits_already(table, seat, person)) is not None:
            return _seated(table, sits, token)
        others = [other.person_id for at, other in table.occupants.items() if at != seat]
        others += [] if table.info.creator in (None, person.id) else [table.info.creator]
        if others and await blocks_between(people_of(request), person.id, others):
            raise ApiError("not-allowed", "seat", "This seat is not open to you.")
        name = clean(name or "")
        if name:
            name = await free_name(people_of(request), name, person)
        await remember(request, person)

        def decide(session: Session, now: int) -> list[Step]:
            _may_sit(table, seat, person)
            return session.apply(TakeSeat(seat, name, draw_lots(len(session.seats)) if table.info.rated else None), now)

        def also(connection: sa.Connection, events: Sequence[LogEvent]) -> None:
            move_seats(connection, table_id, events)

        try:
            seats = {seat: SeatAccess(hash_token(token), person.id)}
            await table.submit(Change.once(decide, seats=seats, also=also))
        except SessionError:  # unless the same request was done meanwhile
            if _sits_already(table, seat, person) is None:
                raise
        if table.are_seats_old:  # the database failed just then
            await table.refresh()
        sits = _sits_already(table, seat, person)  # where the seats are drawn, it may be another one
        return _seated(table, seat if sits is None else sits, token)


def _seated(table: Table, seat: int, token: str) -> Any:
    """Return the answer to a person who sits already: the first one again if ``token`` opened a seat with it."""
    opened, _ = table.seats_of([token])
    if opened:
        return {"id": table.id, "seat": min(opened), "token": token}
    return Json({"id": table.id, "seat": seat, "token": None})


@address("DELETE /api/tables/{table_id}/seats/{seat}", wire.Stood)
async def stand(table_id: str, seat: SeatNumber, request: Request) -> Any:
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
        request_id = hash_token(f"stand {seat} {taken} {who}")
        number = await table.submit(Change.once(decide, request_id, seats={seat: place}))
        return {"id": table_id, "number": number}


@address("POST /api/tables/{table_id}/seats/{seat}/link", wire.SeatLink, status=201)
async def link(request: Request, table_id: str, seat: SeatNumber, id_: home.ClientSecret | None = None) -> Any:
    """Return a new link to a seat; the old one opens it no longer. For the seat's player, and for the table's
    creator until a known person takes the seat. Sent again with the same ``id``, it gets the same answer."""
    token, request_id = secrets.token_urlsafe(24), None
    if id_ is not None:  # it is made of the id and of what opened the seat: a client needs both
        person = await person_of(request)
        who = " ".join(("" if person is None else person.id, *tokens_of(request)))
        token = people_of(request).sign(f"link {table_id} {seat} {id_} {who}")
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
        await table.submit(Change.once(decide, request_id, seats={seat: place}))
        return {"id": table_id, "seat": seat, "link": f"/t/{table_id}#seat={token}"}


# Conditional moves --------------------------------------------------------------------------------------------------

PlannedLine = Annotated[Sequence[Action], Limit(MAX_ACTIONS, 1)]


def _must_hold(entry: Entry, seat: int) -> None:
    if seat not in entry.client.held:
        raise SessionError("not-your-seat", "seat", "This seat is not yours.")


@address("GET /api/tables/{table_id}/seats/{seat}/conditional", wire.PlannedMoves)
async def conditional(table_id: str, seat: SeatNumber, request: Request) -> Any:
    """Return what is left of the conditional moves of your seat. No one else can see them."""
    async with entered(request, table_id) as entry:
        _must_hold(entry, seat)
        table = entry.table
        kept = (await table.host.store.conditional([table_id])).get(table_id, {}).get(seat)
        return {"ply": table.session.ply, "branches": () if kept is None else left_of(kept, table.session, table.log)}


@address("PUT /api/tables/{table_id}/seats/{seat}/conditional", wire.PlannedMoves, quota=("rows",))
async def set_conditional(
    request: Request,
    table_id: str,
    seat: SeatNumber,
    ply: Ply,
    branches: Annotated[Sequence[PlannedLine], Limit(MAX_ACTIONS)],
) -> Any:
    """Set the conditional moves of your seat, in place of others: ``branches``, lines of actions of opponents and your
    own from the present ``ply`` on, each of which ends with your own. Your answers are played at once when the game
    comes to them. ``*`` stands for all that opponents play until it is your turn; after it only your own actions
    follow. They are void when the game leaves them, and after a takeback or a resignation. An empty list
    removes them."""
    async with entered(request, table_id) as entry:
        _must_hold(entry, seat)
        table, services = entry.table, services_of(request)
        session, kept = table.session, None
        if branches:
            if ply != session.ply:
                why = f"The game has gone on: {session.ply} actions have been played, not {ply}."
                raise SessionError("stale-ply", "ply", why)
            checked = await services.compute(lambda: check_lines(session, seat, branches), request)
            kept = ConditionalLines(seat, session.number, session.ply, checked)
        await table.plan(seat, kept)
        services.fair_share.budgets.spend(spender(), rows=1)
        return {"ply": session.ply, "branches": () if kept is None else kept.lines}
