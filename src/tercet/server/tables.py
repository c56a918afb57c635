"""Endpoints of tables: open one, look at it, its record, and the socket on which it is played."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import secrets
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from tercet.play import LogEvent, Seat, Session, Setup
from tercet.record import Node, Record, result_token
from tercet.server.asked import TableAsk, command_of, read_message
from tercet.server.bounds import Bucket
from tercet.server.faults import Fault, Json, fault_of
from tercet.server.live import Client, LiveTable
from tercet.server.metrics import ACKS
from tercet.server.room import Room, address_of, room_of
from tercet.server.store import Place, hash_token
from tercet.server.studies import begin

__all__ = ["open_socket", "receive_text", "router"]

router = APIRouter()
SEND_WITHIN = 20.0  # seconds a client has to take a message


def _setup(ask: TableAsk) -> Setup:
    study = begin(ask, secrets.randbits(53))
    moves = study.moves if ask.ply is None else study.moves[: ask.ply]
    if ask.ply is not None and ask.ply > len(study.moves):
        raise Fault("bad-record", "ply", f"the record has {len(study.moves)} actions, not {ask.ply}")
    seats = tuple(
        Seat(
            "engine" if seat.kind == "engine" else "person",
            " ".join((seat.name or "").split()),
            (seat.level or 4) if seat.kind == "engine" else 0,
        )
        for seat in ask.seats
    )
    takebacks = ("consent" if ask.takebacks else "off") if isinstance(ask.takebacks, bool) else ask.takebacks
    return Setup(
        study.game.name,
        study.game.options,
        seats,
        study.seed,
        study.position,
        tuple(moves),
        takebacks,
        ask.clock,
        ask.confirm,
        ask.chat,
    )


@router.post("/api/tables")
async def open_table(ask: TableAsk, request: Request) -> Json:
    """Open a table. The answer is the only place where its seats' tokens are ever told."""
    room = room_of(request)
    if not room.tables.take(address_of(request)):
        raise Fault("too-many", "address", "too many tables opened; wait a little")
    setup = await room.study(lambda: _setup(ask))
    tokens = {seat: secrets.token_urlsafe(24) for seat, asked in enumerate(ask.seats) if asked.kind != "engine"}
    places = {seat: Place(hash_token(token)) for seat, token in tokens.items()}
    table_id = await room.hub.open(setup, places)
    told = []
    for seat, asked in enumerate(ask.seats):
        invited = asked.kind == "friend"
        token = tokens.get(seat)
        told.append(
            {
                "seat": seat,
                "token": None if invited else token,
                "link": f"/t/{table_id}#seat={token}" if invited else None,
            }
        )
    return Json({"id": table_id, "seats": told, "watch": f"/t/{table_id}"}, 201)


@router.get("/api/tables/{table_id}")
async def look(table_id: str, request: Request) -> Json:
    """A snapshot, as a watcher sees it."""
    async with room_of(request).hub.table(table_id) as table:
        return Json(await table.snapshot(frozenset()))


@router.get("/api/tables/{table_id}/record")
async def table_record(table_id: str, request: Request, notes: bool = False) -> Response:
    """The game so far as a record; ``notes`` adds comments on what is beside the board (Triplicity's tokens)."""
    room = room_of(request)
    async with room.hub.table(table_id) as table:
        session, opened, log = table.session, table.opened, tuple(table.log)
        text = await room.study(lambda: _record(session, opened, log, notes))
    return PlainTextResponse(text)


def _record(session: Session, opened: float, log: Sequence[LogEvent], notes: bool) -> str:
    headers = {"Date": datetime.datetime.fromtimestamp(opened, datetime.UTC).strftime("%Y-%m-%d")}
    for name, seat in zip(session.game.players, session.setup.seats, strict=True):
        headers[name] = seat.name or (f"engine, level {seat.level}" if seat.kind == "engine" else "?")
    if session.setup.seed:
        headers["Seed"] = str(session.setup.seed)
    if session.clock is not None:
        headers["TimeControl"] = str(session.clock.control)
    result = session.result
    if result is not None:
        headers["Result"] = result_token(result.outcome.scores)
        if not session.position.is_over:
            headers["Termination"] = result.outcome.reason
    record = Record(session.game, session.start, headers, Node(None, session.start))
    _write_log(record, session, log)
    return record.write(notes)


def _write_log(record: Record, session: Session, log: Sequence[LogEvent]) -> None:
    """Hang under the record's root what happened at the table. Retractions are told where the rules of the table have
    them; what was taken back by consent, or within a turn, is left out."""
    game = session.game
    plays_on, agrees = hasattr(game.kernels, "resign"), hasattr(game.kernels, "draw_agreed")
    reached = [record.root]  # the node at which so many actions stand
    for text in session.setup.opening:
        reached.append(reached[-1].play(text))
    for event in log:
        name = "" if "seat" not in event.data else f"={game.players[event.data['seat']]}"
        if event.kind == "action":
            reached.append(reached[-1].play(event.data["action"]))
        elif event.kind == "takeback":
            here = reached[-1]
            del reached[event.data["ply"] + 1 :]
            if event.data.get("own"):
                reached[-1] = here.play(f"retract{name}")
            else:
                reached[-1].variations.clear()
        elif event.kind in ("resign", "flag") and plays_on:
            reached[-1] = reached[-1].play(f"resign{name}")
            if event.kind == "flag":
                reached[-1].comment = "out of time"
        elif event.kind == "offer" and event.data["what"] == "draw" and agrees:
            reached[-1] = reached[-1].play(f"draw?{name}")
        elif event.kind == "over" and agrees:
            reached[-1].play("draw")


def check_origin(socket: WebSocket, room: Room) -> None:
    """A browser may only play from a page of this server (or of an origin that the server was told of)."""
    origin = socket.headers.get("origin")
    if origin is None or origin in room.origins:
        return
    if urlsplit(origin).netloc.lower() != socket.headers.get("host", "").lower():
        raise Fault("bad-message", "origin", "this page may not play here")


async def receive_text(socket: WebSocket, longest: int) -> str:
    """The next message; Fault where it is no text or too long."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text = message.get("text")
    if text is None:
        raise Fault("bad-message", "message", "is text, not bytes")
    if len(text) > longest:
        raise Fault("too-large", "message", f"is longer than {longest} characters")
    return str(text)


@contextlib.asynccontextmanager
async def open_socket(socket: WebSocket) -> Any:
    """Accept a socket if its origin and its address's number of sockets allow; closes it with a word if not."""
    room = room_of(socket)
    address = address_of(socket)
    await socket.accept()
    room.sockets[address] += 1
    try:
        check_origin(socket, room)
        if room.sockets[address] > room.bounds.sockets_per_address:
            raise Fault("too-many", "address", "too many connections from this address")
        yield room
    except WebSocketDisconnect:
        pass
    except Exception as error:
        fault = fault_of(error)
        await _farewell(socket, {"type": "error", **fault.data}, 4404 if fault.code == "unknown-table" else 4400)
    finally:
        room.sockets[address] -= 1
        if room.sockets[address] <= 0:
            del room.sockets[address]


async def _farewell(socket: WebSocket, message: dict[str, Any] | None, code: int) -> None:
    if socket.application_state is not WebSocketState.CONNECTED:
        return
    with contextlib.suppress(Exception):  # it may be gone already, in many ways
        async with asyncio.timeout(2):
            if message is not None:
                await socket.send_json(message)
            await socket.close(code)


@router.websocket("/api/tables/{table_id}/live")
async def live(socket: WebSocket, table_id: str) -> None:
    """Follow a table and, with a seat's token, play."""
    async with open_socket(socket) as room, room.hub.table(table_id) as table:
        held, all_known = table.seats_of(socket.query_params.getlist("seat")[:8])
        client = Client(held)
        if not all_known:
            client.tell(
                {
                    "type": "error",
                    **Fault("not-your-seat", "seat", "this link opens no seat here; you are watching").data,
                }
            )
        said = socket.query_params.get("since", "")
        since = int(said) if said.isascii() and said.isdigit() and len(said) < 8 else None
        await table.join(client, since)
        tasks = [
            asyncio.ensure_future(work)
            for work in (_write(socket, client), _read(socket, client, table, room), client.cut.wait())
        ]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            table.leave(client)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if client.cut.is_set():
            await _farewell(socket, None, 1013)


async def _write(socket: WebSocket, client: Client) -> None:
    while True:
        for text in await client.queue.get():
            async with asyncio.timeout(SEND_WITHIN):
                await socket.send_text(text)


async def _read(socket: WebSocket, client: Client, table: LiveTable, room: Room) -> None:
    rate = room.bounds.messages_per_second
    bucket = Bucket(rate, 2 * rate) if rate else None
    while True:
        client_id: str | None = None
        try:
            text = await receive_text(socket, room.bounds.message)
            if bucket is not None and not bucket.take():
                raise Fault("too-many", "message", "too many messages; wait a little")
            message = read_message(text)
            said = message.get("id")
            client_id = said if isinstance(said, str) and len(said) <= 64 else None
            if message["type"] == "ping":
                client.tell({"type": "pong"} if client_id is None else {"type": "pong", "id": client_id})
            elif message["type"] == "snapshot":
                client.tell(await table.snapshot(client.held))
            else:
                command, client_id = command_of(message, client.held)
                # Ids are a client's own: whoever sits elsewhere cannot use one up.
                scoped = f"{min(client.held, default=0)}:{client_id}"
                with ACKS.time():
                    number = await table.command(command, scoped)
                client.tell({"type": "ack", "id": client_id, "number": number})
        except (WebSocketDisconnect, asyncio.CancelledError):
            raise
        except Exception as error:
            told: dict[str, Any] = {"type": "error", **fault_of(error).data}
            if client_id is not None:
                told["id"] = client_id
            client.tell(told)
