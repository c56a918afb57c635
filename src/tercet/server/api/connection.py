"""Opening, reading and closing sockets, and the socket of one client at a table."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import secrets
import time
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from tercet.answers.tables import check_not_outdated, command_of, pong
from tercet.answers.wire import client_messages as wire
from tercet.answers.wire.table_messages import ErrorMessage
from tercet.play.session import Command, PlayAction, Session, SessionError, Step, Takeback
from tercet.server.api.access import Entry
from tercet.server.api.opening import rematch
from tercet.server.errors import TRANSLATOR, ApiError, SocketRefusedError, as_api_error
from tercet.server.limits.budgets import Bucket, counted, is_full
from tercet.server.limits.spenders import Metered, spender, with_site
from tercet.server.metrics import ACKS
from tercet.server.people.identity import remember
from tercet.server.services import Services, address_of, services_of
from tercet.server.tables.clients import Client
from tercet.server.tables.state import Change
from tercet.server.web.middleware import is_foreign

CLOSE_CODES = {"unknown-table": 4404, "unavailable": 1013}  # by the error's code; 4400 for all others


async def receive_text(socket: WebSocket, longest: int) -> str:
    """Return the next message; ApiError where it is no text or too long."""
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    text = message.get("text")
    if text is None:
        raise ApiError("bad-message", "message", "A message must be text, not bytes.")
    if len(text) > longest:
        raise ApiError("too-large", "message", f"A message must have at most {longest} characters.")
    return str(text)


def translated(socket: WebSocket, message: Any, kind: Any) -> Any:
    """Return ``message``, which is of the type ``kind``, in the language of the socket's client."""
    translator = socket.scope.get(TRANSLATOR)
    return message if translator is None else translator.value(message, kind)


@contextlib.asynccontextmanager
async def open_socket(socket: WebSocket) -> AsyncIterator[Services]:
    """Accept a socket if its origin and its address's number of sockets allow. If not, close it with a reason and
    raise SocketRefusedError. A browser must come from a page of this server or of a configured origin."""
    services = services_of(socket)
    address = address_of(socket)
    await socket.accept()
    admitted = False
    with counted(services.sockets, address):
        try:
            if is_foreign(socket.scope, services.origins):
                raise ApiError("foreign-origin", "origin", "Pages of other sites cannot use this server.")
            elsewhere = services.fair_share.exchange.elsewhere
            everywhere = {one: services.sockets[one] + elsewhere("sockets", one) - 1 for one in with_site(address)}
            if is_full(everywhere, address, services.limits.sockets_per_address):
                raise ApiError("too-many", "address", "Your address has too many connections. Close one first.")
            admitted = True
            yield services
        except WebSocketDisconnect:
            pass
        except Exception as error:
            fault = as_api_error(error)
            await farewell(socket, fault.message(), CLOSE_CODES.get(fault.code, 4400))
            if not admitted:
                raise SocketRefusedError from None
        finally:
            services.people.unwatch(socket)


async def until_first(*works: Coroutine[Any, Any, object]) -> None:
    """Do ``works`` until the first of them ends; raise its error."""
    tasks = [asyncio.ensure_future(Metered(work)) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()


async def farewell(socket: WebSocket, message: ErrorMessage | None, code: int) -> None:
    """Close the socket, with a last ``message`` where there is one."""
    if socket.application_state is not WebSocketState.CONNECTED:
        return
    with contextlib.suppress(Exception):  # it may be gone already, in many ways
        async with asyncio.timeout(2):
            if message is not None:
                await socket.send_json(translated(socket, message, ErrorMessage))
            await socket.close(code)


ACTIONS_AT_ONCE = 8  # actions that are played at once, not in a thread


def _ids(message: wire.CommandMessage, entry: Entry) -> tuple[str, ...]:
    """Return the keys under which the message's id is known: the client's id for each seat that it holds now, so that
    other seats cannot use it up. The first is the seat that decides, if the client holds it, so that each socket
    with this seat finds it. Empty if the message has no id, as a bot's may."""
    if not message["id"]:
        return ()
    mover = entry.table.session.mover
    held, _ = entry.table.seats_of(entry.client.tokens, entry.client.person_id)
    seats = sorted(held, key=lambda seat: (seat != mover, seat)) or [0]
    return tuple(f"{seat}:{message['id']}" for seat in seats)


async def execute(services: Services, entry: Entry, message: wire.CommandMessage, lag: int | None = None) -> int:
    """Execute the command of ``message`` on behalf of the seats that ``entry`` holds. Return the number of its last
    event, which is on disk by then. An ``id`` that was acknowledged before gets the same number again. ``lag`` is the
    sender's in milliseconds. Raise ApiError if the message makes no sense, SessionError if the table refuses it."""
    table, client = entry.table, entry.client
    is_play = message["type"] == "act"
    rematch_id = "" if is_play else secrets.token_hex(8)

    def away(seat: int) -> int | None:
        if table.session.adjourned:
            offers = [one for one in table.session.offers if one.what == "continue" and one.seat in client.held]
            return services.registry.now() - offers[0].at if offers and offers[0].at is not None else None
        if seat in table.expected:
            name = table.session.game.players[seat]
            raise SessionError("not-possible", "seat", f"{name} has not joined yet. Abort the game instead.")
        since = table.presence.absent_since(seat)
        return None if since is None else max(0, services.registry.now() - since)

    def command() -> Command:
        held, _ = table.seats_of(client.tokens, client.person_id)
        made = command_of(message, held, lag=lag, away=away, table=rematch_id)
        check_not_outdated(message, made, table.log)
        if isinstance(made, Takeback) and table.info.rated and table.session.is_over:
            raise SessionError("over", "table", "A rated game cannot change after its end.")
        return made

    ids = functools.partial(_ids, message, entry)
    number = table.acknowledged(ids())
    if number is not None:
        return number
    who, budgets = spender(), services.fair_share.budgets
    budgets.check(who, "cpu", "rows")
    seen = table.session, table.tokens, table.occupants
    made = command()  # what makes no sense is refused before it waits for its turn
    short = isinstance(made, PlayAction) and len(made.more) < ACTIONS_AT_ONCE

    def decide(session: Session, now: int) -> list[Step]:
        is_same = short and seen[0] is session and seen[1] is table.tokens and seen[2] is table.occupants
        return session.apply(made if is_same else command(), now)

    also = None if is_play else rematch(table, rematch_id)
    change = Change(decide, ids, also=also, short=short)
    with ACKS.time():
        number = await table.submit(change, client.came)
    budgets.spend(who, rows=1 + len(made.more) if isinstance(made, PlayAction) else 1)
    if rematch_id and table.session.rematch == rematch_id:
        await services.lobby.announce(rematch_id, [occupant.person_id for occupant in table.occupants.values()])
    return number


SEND_SECONDS = 10.0  # that a client has to take a message; it is looked at as often
SLOWED_SECONDS = 0.02  # that a client waits for each message too many: the next ones stay on the line meanwhile
MESSAGES_IN_A_ROW = 8  # of one client, at most, before the others have their turn
MEASURE_SECONDS = 10.0  # between two looks at how long the line to a player is


class TableSocket:
    """One client's socket at a table."""

    def __init__(self, socket: WebSocket, entry: Entry, services: Services) -> None:
        self.socket = socket
        self.entry = entry
        self.table = entry.table
        self.client: Client = entry.client
        self.person = entry.person
        self.services = services
        self._lag: int | None = None
        self._asked: tuple[int, float] = (0, 0.0)
        self._sending: float | None = None  # since when a message has been on its way out
        self._timer: asyncio.TimerHandle

    async def write(self) -> None:
        """Send the client's queued messages."""
        self._check_sending()
        try:
            while True:
                for text in await self.client.queue.get():
                    self._sending = time.monotonic()
                    await self.socket.send_text(text)
                    self._sending = None
                self.client.unsent -= 1
        finally:
            self._timer.cancel()

    def _check_sending(self) -> None:
        """Cut the client off where it has not taken a message for :data:`SEND_SECONDS` seconds. It is looked at now and
        then, since to time each message would cost as much as to send it."""
        if self._sending is not None and time.monotonic() - self._sending >= SEND_SECONDS:
            self.client.cut.set()
        self._timer = asyncio.get_running_loop().call_later(SEND_SECONDS, self._check_sending)

    async def read(self) -> None:
        """Read and answer the client's messages until it hangs up."""
        rate = self.services.limits.messages_per_second
        bucket = Bucket(rate, 2 * rate) if rate else None
        for number in itertools.count(1):
            if number % MESSAGES_IN_A_ROW == 0:  # what has come already is read without waiting
                await asyncio.sleep(0)
            text = ""
            try:
                text = await receive_text(self.socket, self.services.limits.message)
                if bucket is not None and not bucket.take():
                    await asyncio.sleep(SLOWED_SECONDS)
                    raise ApiError("too-many", "message", "You have sent too many messages. Wait a moment.")
                await self._take(wire.decode_table_message(text))
            except (WebSocketDisconnect, asyncio.CancelledError):
                raise
            except Exception as error:
                self.client.tell(as_api_error(error).message(wire.legible_id(text)))

    async def _take(self, message: wire.ClientMessage) -> None:
        client = self.client
        if message["type"] == "ping":
            client.tell(pong(message))
        elif message["type"] == "pong":
            self._measured(message["n"])
        elif message["type"] == "thinker":
            self.table.engines.devices.offer(client, message["can"])
        elif message["type"] == "thought":
            self.table.engines.devices.take(client, message["n"], message.get("action"))
        elif message["type"] == "snapshot":
            budgets, who = self.services.fair_share.budgets, spender()
            budgets.check(who, "cpu", "bytes")
            text = await self.table.snapshot(client.held, client.opened, client.language)
            budgets.spend(who, size=len(text))
            client.tell(text)
        elif message["type"] == "say":
            await self._say(message)
        else:
            number = await execute(self.services, self.entry, message, self._lag)
            client.tell({"type": "ack", "id": message["id"], "number": number})
            self.measure()

    async def _say(self, message: wire.SayMessage) -> None:
        asked, client_id = (message["room"], message["text"], message.get("seat")), message["id"]
        if self.person is not None:
            await remember(self.socket, self.person)
        speaker = self.person.id if self.person is not None else min(self.client.held, default=0)
        number = await self.services.chat.say(self.table, self.client, self.person, asked, f"{speaker}:{client_id}")
        self.client.tell({"type": "ack", "id": client_id, "number": self.table.session.number, "talk": number})

    # How long the line is -------------------------------------------------------------------------------------------

    def measure(self) -> None:
        """Ping a player whose clock may run, now and then: the clock gives the measured lag back."""
        session, now = self.table.session, time.monotonic()
        number, at = self._asked
        if session.clock is None or session.is_over or not self.client.held or (number and now - at < MEASURE_SECONDS):
            return
        self._asked = (number + 1, now)
        self.client.tell({"type": "ping?", "n": number + 1})

    def _measured(self, said: int) -> None:
        number, at = self._asked
        if said != number or not number:
            return  # an answer to an earlier question, or to none
        took = round(1000 * (time.monotonic() - at))
        self._lag = took if self._lag is None else round(0.6 * self._lag + 0.4 * took)
