"""Endpoints of tables: open one, look at it, its record, the socket on which it is played, hints for a player, and what
the game did to ratings."""

from __future__ import annotations

import secrets
from typing import Annotated

import sqlalchemy as sa
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import PlainTextResponse, Response
from starlette.websockets import WebSocket

from tercet.answers.positions import hint_position, hinted
from tercet.answers.table_messages import past_position
from tercet.answers.table_records import record_text
from tercet.answers.translation.messages import Translator
from tercet.answers.wire.client_messages import MAX_NUMBER
from tercet.play.ratings import read_rating, shown
from tercet.server.api.access import Entry, entered
from tercet.server.api.connection import PlayerConnection
from tercet.server.api.opening import open_requested
from tercet.server.api.sockets import farewell, open_socket, until_first
from tercet.server.errors import ApiError, Json, Unreachable
from tercet.server.limits.rates import VISIT
from tercet.server.limits.spender import spender
from tercet.server.people.identity import people_of, remember
from tercet.server.services import language_of, services_of, share_of, until_gone, written
from tercet.server.store.schema import HISTORY
from tercet.server.store.table_data import SeatAccess, hash_token
from tercet.server.web.live_socket import SEND_NOW
from tercet.server.wire.requests import TableRequest
from tercet.server.wire.tables import HintRequest

router = APIRouter(tags=["tables"])


@router.post("/api/tables", status_code=201)
async def open_table(ask: TableRequest, request: Request) -> Json:
    """Open a table. Only this answer has the tokens of its seats."""
    return Json(await open_requested(ask, request), 201)


@router.get("/api/tables/{table_id}")
async def look(table_id: str, request: Request) -> Response:
    """Return a snapshot, as a spectator sees it. A private table needs a token (``seat``)."""
    services_of(request).fair_share.budgets.check(spender(), "cpu", "bytes")
    async with entered(request, table_id) as entry:
        return written(await entry.table.snapshot(frozenset(), language=language_of(request)), request)


@router.get("/api/tables/{table_id}/at/{ply}")
async def look_back(table_id: str, ply: Annotated[int, Path(ge=0, le=MAX_NUMBER)], request: Request) -> Json:
    """Return the game as it stood after ``ply`` actions, for all who may watch the table."""
    async with entered(request, table_id) as entry:
        session = entry.table.session
        past = await services_of(request).compute(lambda: past_position(table_id, session, ply), request)
    return Json(past)


@router.get("/api/tables/{table_id}/record", response_class=PlainTextResponse)
async def table_record(
    table_id: str,
    request: Request,
    notes: bool = False,
    form: Annotated[str | None, Query(max_length=20)] = None,
    retracted: bool = True,
) -> Response:
    """Return the game so far as a record; ``notes`` adds comments on what is beside the board. With ``form`` in another
    form that the game knows (``table.forms``); where ``retracted`` is false without turns that were taken back."""
    async with entered(request, table_id) as entry:
        table = entry.table
        session, log, occupants = table.session, tuple(table.log), dict(table.occupants)
        opened = table.opened

        def write() -> str:
            return record_text(session, opened, log, occupants, notes=notes, form=form, retracted=retracted)

        text = await services_of(request).compute(write, request)
    return PlainTextResponse(text)


@router.websocket("/api/tables/{table_id}/live")
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
            fault = ApiError("not-your-seat", "seat", "This link opens no seat here. You are a spectator.")
            client.tell(fault.message())
        said = socket.query_params.get("since", "")
        since = int(said) if said.isascii() and said.isdigit() and len(said) < 8 else None
        await table.join(client, since)
        services.fair_share.budgets.spend(spender(), cpu=VISIT, size=client.sent_characters)
        client.send_now = socket.scope.get(SEND_NOW, client.send_now)
        player = PlayerConnection(socket, entry, services)
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


@router.post("/api/tables/{table_id}/hint")
async def table_hint(table_id: str, ask: HintRequest, request: Request) -> Json:
    """Return a hint for the player to move, in an unrated game against engines only (``seat``: the player's token)."""
    services = services_of(request)
    async with entered(request, table_id) as entry:
        session = entry.table.session
        position = hint_position(session, entry.client.held, entry.table.info.rated, ask.moves)
        services.fair_share.budgets.check(spender(), "engine")
        person = share_of(request) if entry.person is None else entry.person.id
        turn = await until_gone(request, services.engine_pool.suggest(position, person))
    ply = session.ply + len(ask.moves)
    return Json(await services.compute(lambda: hinted(position, ply, turn, ask.strength), request))


@router.get("/api/tables/{table_id}/ratings")
async def rating_changes(table_id: str, request: Request) -> Json:
    """Return how the game changed the players' ratings."""
    async with entered(request, table_id) as entry:
        rated = entry.table.info.rated and entry.table.session.is_over
    if not rated:
        return Json({"counted": False, "seats": []})
    found = sa.select(HISTORY).where(HISTORY.c.table_id == table_id).order_by(HISTORY.c.seat)
    rows, seats = await people_of(request).database.rows(found), []
    for row in rows:
        before, after = (shown(read_rating(rating), 0.0) for rating in (row.before, row.after))
        change = {"before": before["rating"], "after": after["rating"], "provisional": after["provisional"]}
        seats.append({"seat": row.seat, **change})
    return Json({"counted": bool(rows), "seats": seats})
