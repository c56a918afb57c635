"""Endpoints of tables: open one, look at it, its record, and the socket on which it is played."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.responses import PlainTextResponse, Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from tercet.server.http.errors import ApiError, Json, as_api_error
from tercet.server.http.limits import Bucket
from tercet.server.http.requests import MAX_NUMBER, TableRequest, client_id_of, command_of, line_of, read_message
from tercet.server.http.sockets import farewell, open_socket, receive_text
from tercet.server.operations.metrics import ACKS
from tercet.server.people import remember
from tercet.server.protocol.table_messages import OpenedTable, PastPosition, Snapshot
from tercet.server.services import Services, services_of
from tercet.server.store import SeatAccess, hash_token
from tercet.server.tables.access import Entry, entered
from tercet.server.tables.broadcast import Client
from tercet.server.tables.messages import past_position
from tercet.server.tables.opening import call_out, open_requested, rematch
from tercet.server.tables.recording import record_of
from tercet.session import Command, SessionError, Takeback

__all__ = ["router"]

router = APIRouter(tags=["tables"])
SEND_WITHIN = 20.0  # seconds a client has to take a message
FEW = 8  # actions that are played at once, not in a thread
MEASURE = 10.0  # seconds between two looks at how long the line to a player is


@router.post("/api/tables", status_code=201, responses={201: {"model": OpenedTable}})
async def open_table(ask: TableRequest, request: Request) -> Json:
    """Open a table. The answer is the only place where its seats' tokens are ever told."""
    return Json(await open_requested(ask, request), 201)


@router.get("/api/tables/{table_id}", responses={200: {"model": Snapshot}})
async def look(table_id: str, request: Request) -> Json:
    """A snapshot, as a watcher sees it. Of a private table only for whoever sits there (``seat``: a token)."""
    async with entered(request, table_id) as entry:
        return Json(await entry.table.snapshot(frozenset()))


@router.get("/api/tables/{table_id}/at/{ply}", responses={200: {"model": PastPosition}})
async def look_back(table_id: str, ply: Annotated[int, Path(ge=0, le=MAX_NUMBER)], request: Request) -> Json:
    """The game as it stood after ``ply`` actions. Whoever may watch the table may look back."""
    async with entered(request, table_id) as entry:
        session = entry.table.session
        if ply > session.ply:
            raise ApiError("not-found", "ply", f"{session.ply} actions have been played, not {ply}")
        past = await services_of(request).study(lambda: past_position(table_id, session, ply))
    return Json(past)


@router.get("/api/tables/{table_id}/record", response_class=PlainTextResponse)
async def table_record(table_id: str, request: Request, notes: bool = False) -> Response:
    """The game so far as a record; ``notes`` adds comments on what is beside the board."""
    async with entered(request, table_id) as entry:
        table = entry.table
        session, log, occupants = table.session, tuple(table.log), dict(table.occupants)
        text = await services_of(request).study(lambda: record_of(session, table.opened, log, occupants).write(notes))
    return PlainTextResponse(text)


@router.websocket("/api/tables/{table_id}/live")
async def live(socket: WebSocket, table_id: str) -> None:
    """Follow a table and, with a seat's token or as the person who sits there, play."""
    async with open_socket(socket) as services, entered(socket, table_id) as entry:
        table, client = entry.table, entry.client
        await _settle(socket, entry)
        if not (entry.all_known or client.held):  # whoever sits there needs no link
            fault = ApiError("not-your-seat", "seat", "this link opens no seat here; you are watching")
            client.tell({"type": "error", **fault.data})
        said = socket.query_params.get("since", "")
        since = int(said) if said.isascii() and said.isdigit() and len(said) < 8 else None
        await table.join(client, since)
        player = _PlayerConnection(socket, entry, services)
        try:
            if table.presence.watchers > (not client.held):
                client.tell(table.here())
            await services.chat.replay(table, client)
            player.measure()
            tasks = [asyncio.ensure_future(work) for work in (player.write(), player.read(), client.cut.wait())]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            table.leave(client)
        if client.cut.is_set():
            await farewell(socket, None, 1013)


async def _settle(socket: WebSocket, entry: Entry) -> None:
    """Note that somebody known to the server sits where his token says, if nobody else does: from then on it is his
    wherever he is known, and only there."""
    table, client, person = entry.table, entry.client, entry.person
    sitting = {occupant.person_id for occupant in table.occupants.values()}
    free = sorted(seat for seat in client.held if seat not in table.occupants)
    if person is None or person.id in sitting or not free or table.session.is_over:
        return
    await remember(socket, person)
    # Whoever made the link, or passed it on, knows it too: it opens the seat no more.
    await table.reseat(free[0], SeatAccess(hash_token(secrets.token_urlsafe(24)), person.id))


def _is_short(message: dict[str, Any]) -> bool:
    """Whether the command plays an action or a few."""
    several = message.get("actions")
    return message["type"] == "act" and (not isinstance(several, list) or len(several) <= FEW)


class _PlayerConnection:
    """One client's socket at a table."""

    def __init__(self, socket: WebSocket, entry: Entry, services: Services) -> None:
        self.socket = socket
        self.table = entry.table
        self.client: Client = entry.client
        self.person = entry.person
        self.services = services
        self._lag: int | None = None
        self._asked: tuple[int, float] = (0, 0.0)

    async def write(self) -> None:
        """Send what is to be told."""
        while True:
            for text in await self.client.queue.get():
                async with asyncio.timeout(SEND_WITHIN):
                    await self.socket.send_text(text)

    async def read(self) -> None:
        """Take what comes."""
        rate = self.services.limits.messages_per_second
        bucket = Bucket(rate, 2 * rate) if rate else None
        while True:
            client_id: str | None = None
            try:
                text = await receive_text(self.socket, self.services.limits.message)
                if bucket is not None and not bucket.take():
                    raise ApiError("too-many", "message", "too many messages; wait a little")
                message = read_message(text)
                said = message.get("id")
                client_id = said if isinstance(said, str) and len(said) <= 64 else None
                await self._take(message, client_id)
            except (WebSocketDisconnect, asyncio.CancelledError):
                raise
            except Exception as error:
                told: dict[str, Any] = {"type": "error", **as_api_error(error).data}
                if client_id is not None:
                    told["id"] = client_id
                self.client.tell(told)

    async def _take(self, message: dict[str, Any], client_id: str | None) -> None:
        kind, client = message["type"], self.client
        if kind == "ping":
            client.tell({"type": "pong"} if client_id is None else {"type": "pong", "id": client_id})
        elif kind == "pong":
            self._measured(message.get("n"))
        elif kind == "snapshot":
            client.tell(await self.table.snapshot(client.held, client.opened))
        elif kind == "say":
            await self._say(message)
        else:
            await self._command(message)
            self.measure()

    async def _command(self, message: dict[str, Any]) -> None:
        table, client = self.table, self.client
        new_id = secrets.token_hex(8)

        def command() -> Command:
            made = command_of(message, client.held, lag=self._lag, away=self._away, table=new_id)
            if isinstance(made, Takeback) and table.about.rated and table.session.is_over:
                raise SessionError("over", "table", "a rated game that is over stays as it is")
            return made

        command()  # what makes no sense is refused before it waits for its turn
        client_id = client_id_of(message)
        # Ids are a client's own: whoever sits elsewhere cannot use one up.
        scoped = f"{min(client.held, default=0)}:{client_id}"
        with ACKS.time():
            number = await table.command(command, scoped, also=rematch(table, new_id), short=_is_short(message))
        client.tell({"type": "ack", "id": client_id, "number": number})
        if table.session.rematch == new_id:
            await call_out(self.services, new_id, [occupant.person_id for occupant in table.occupants.values()])

    def _away(self, seat: int) -> int | None:
        since = self.table.presence.left(seat)
        return None if since is None else max(0, self.services.registry.now() - since)

    async def _say(self, message: dict[str, Any]) -> None:
        asked, client_id = line_of(message), client_id_of(message)
        if self.person is not None:
            await remember(self.socket, self.person)
        speaker = self.person.id if self.person is not None else min(self.client.held, default=0)
        number = await self.services.chat.say(self.table, self.client, self.person, asked, f"{speaker}:{client_id}")
        self.client.tell({"type": "ack", "id": client_id, "number": self.table.session.number, "talk": number})

    # How long the line is -------------------------------------------------------------------------------------------

    def measure(self) -> None:
        """Ask a player whose clock may run for a sign, now and then: how long it takes is given back to him."""
        session, now = self.table.session, time.monotonic()
        number, at = self._asked
        if session.clock is None or session.is_over or not self.client.held or (number and now - at < MEASURE):
            return
        self._asked = (number + 1, now)
        self.client.tell({"type": "ping?", "n": number + 1})

    def _measured(self, said: object) -> None:
        number, at = self._asked
        if said != number or isinstance(said, bool) or not number:
            return  # an answer to an earlier question, or to none
        took = round(1000 * (time.monotonic() - at))
        self._lag = took if self._lag is None else round(0.6 * self._lag + 0.4 * took)
        self._asked = (number, at)
