"""Bots: programs with an account and a token. They hear of challenges and games, and of each game how it goes, as lines
of JSON on answers that do not end, and act by plain requests (docs/bots.md)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from itertools import takewhile
from typing import Annotated, Any, Literal, cast

import sqlalchemy as sa
from fastapi import Request
from starlette.responses import StreamingResponse

from tercet.answers.addresses import address
from tercet.answers.fields import Limit, Ply
from tercet.answers.tables import offers_view, seats_view
from tercet.answers.wire.client_messages import MAX_ACTION, MAX_BATCH, MAX_LINE, CommandMessage, PlayMessage
from tercet.answers.wire.table_messages import ChatRoom, ClaimKind, OfferKind
from tercet.core.view import to_json
from tercet.play.session import Session, SessionError
from tercet.server.api import tables
from tercet.server.api.access import entered
from tercet.server.api.connection import execute
from tercet.server.api.tables import SeatNumber
from tercet.server.errors import ApiError, Unreachable
from tercet.server.limits.budgets import counted
from tercet.server.limits.spenders import ChargedStream
from tercet.server.people.identity import Person, person_of
from tercet.server.services import Services, services_of
from tercet.server.store.pubsub import happens, news_of
from tercet.server.store.schema import SEATS, TABLES
from tercet.server.tables.clients import Client
from tercet.server.tables.state import Change
from tercet.server.tables.table import Table


def asked_seat(table: Table, bot: Person) -> int | None:
    """Return the seat that ``bot`` is asked to take."""
    waiting = [seat for seat in table.session.waiting if table.session.seats[seat].kind == "bot"]
    asked = {seat: occupant.person_id for seat, occupant in table.occupants.items()}
    return next((seat for seat in waiting if asked.get(seat) == bot.id), None)


def game_info(table: Table) -> dict[str, Any]:
    """Return what stays the same throughout a game."""
    session, settings, game = table.session, table.session.settings, table.session.game
    seats = seats_view(session, table.occupants)
    return {
        "table": table.id,
        "game": settings.game,
        "options": to_json(game.options),
        "optionText": game.option_text(),
        "players": list(game.players),
        "start": str(session.start),
        "control": None if settings.clock is None else dict(settings.clock),
        "speed": table.info.speed,
        "rated": table.info.rated,
        "takebacks": settings.takebacks,
        "seats": [{name: value for name, value in seat.items() if name != "here"} for seat in seats],
    }


def game_state(session: Session, before: Session | None, held: frozenset[int], now: int) -> dict[str, Any]:
    """How it stands: ``moves`` are the actions from the ``since``-th on, all that ``before`` did not have."""
    both = zip(session.played, () if before is None else before.played, strict=False)
    since = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1] or pair[0].text == pair[1].text, both))
    outcome = session.result.outcome if session.result else None
    return {
        "type": "gameState",
        "number": session.number,
        "ply": session.ply,
        "since": since,
        "moves": [one.text for one in session.played[since:]],
        "position": str(session.position),
        "mover": session.mover,
        "yourTurn": session.mover is not None and session.mover in held,
        "clock": None if session.clock is None else session.clock.shown(now),
        "offers": offers_view(session),
        "waiting": list(session.waiting),
        "adjourned": session.adjourned and not session.is_over,
        "over": session.is_over,
        "aborted": session.aborted,
        "outcome": None if outcome is None else to_json(outcome),
        "result": session.result.says if session.result else "",
        "rematch": session.rematch,
    }


KEEPALIVE_SECONDS = 6.0  # between two lines, if only empty ones
CHECK_SECONDS = 2.0  # between looks for games that no message announced
STOP_CHECK_SECONDS = 0.5  # in which a stream sees that the server stops
MAX_STREAMS = 100  # of one bot
NDJSON = "application/x-ndjson"
HEADERS = {"content-encoding": "identity", "x-accel-buffering": "no", "cache-control": "no-store"}

Line = dict[str, Any] | None

_streams: Counter[str] = Counter()  # how many each bot listens to


class EventStream:
    """The events of one bot: its challenges, and its games as they begin and end."""

    def __init__(self, services: Services, bot: Person) -> None:
        self.services = services
        self.bot = bot
        self.known: dict[str, str] = {}  # the last state sent of each table

    async def lines(self) -> AsyncGenerator[Line, None]:
        async with news_of(self.services.registry.pubsub, f"person:{self.bot.id}") as news:
            while True:
                news.clear()
                with contextlib.suppress(Unreachable):
                    async for line in self.look():
                        yield line
                yield None
                await happens(news, CHECK_SECONDS)

    async def look(self) -> AsyncIterator[dict[str, Any]]:
        """Return the new events."""
        mine = sa.select(SEATS.c.table_id).where(SEATS.c.person_id == self.bot.id)
        found = sa.select(TABLES.c.id, TABLES.c.waiting).where(TABLES.c.id.in_(mine) & ~TABLES.c.over)
        rows = await self.services.registry.store.database.rows(found.order_by(TABLES.c.opened).limit(200))
        for ended in self.known.keys() - {row.id for row in rows}:
            was = self.known.pop(ended)
            yield {"type": "challengeCanceled" if was == "challenge" else "gameFinish", "table": ended}
        for row in rows:
            if self.known.get(row.id) == "game" or (row.id in self.known and row.waiting):
                continue
            try:
                async with self.services.registry.table(row.id) as table:
                    seat = asked_seat(table, self.bot)
                    held, _ = table.seats_of((), self.bot.id)
                    now = "challenge" if seat is not None else "waiting" if table.session.waiting else "game"
                    if self.known.get(row.id) == now or table.session.is_over:
                        continue
                    self.known[row.id] = now
                    if now == "waiting":
                        continue
                    sent = game_info(table)
                    sent["seat"] = min(held, default=0) if seat is None else seat
                    yield {"type": "challenge" if now == "challenge" else "gameStart", **sent}
            except SessionError:
                continue


class _StreamClient(Client):
    """A client that needs no messages, only to know that there is something new; and what is said."""

    reads = False

    def __init__(self, held: frozenset[int], person: Person) -> None:
        super().__init__(held, (), person.id)
        self.news = asyncio.Event()
        self.said: list[dict[str, Any]] = []

    def tell(self, *messages: Any) -> None:
        """Note that these events have happened."""
        for message in messages:
            if isinstance(message, dict) and message["type"] == "talk":
                self.said.append(message)
        self.said = self.said[-100:]
        self.news.set()


async def game_lines(request: Request, table_id: str, bot: Person) -> AsyncGenerator[Line, None]:
    registry = services_of(request).registry
    async with entered(request, table_id) as entry:
        table = entry.table
        ear = _StreamClient(entry.client.held, bot)
        await table.join(ear, None)
        try:
            session = table.session
            sent = await registry.compute(lambda: game_state(session, None, ear.held, registry.now()))
            full = await registry.compute(lambda: game_info(table))
            yield {"type": "gameFull", **full, "yourSeats": sorted(ear.held), "state": sent}
            while True:
                ear.news.clear()
                said, ear.said = ear.said, []
                for line in said:
                    yield line
                if table.session is not session:
                    before, session = session, table.session
                    sent = await registry.compute(lambda: game_state(session, before, ear.held, registry.now()))  # noqa: B023
                    yield sent
                if session.is_over:
                    return
                yield None
                await happens(ear.news, KEEPALIVE_SECONDS)
        finally:
            table.leave(ear)


def streamed(services: Services, bot: Person, lines: AsyncGenerator[Line, None]) -> StreamingResponse:
    """``lines`` as they come, with empty ones in between (None: nothing new for now)."""
    if _streams[bot.id] >= MAX_STREAMS:
        raise ApiError("too-many", "streams", f"A bot can listen to at most {MAX_STREAMS} streams. Close one first.")
    registry = services.registry

    async def text() -> AsyncIterator[bytes]:
        with counted(_streams, bot.id):
            loop = asyncio.get_running_loop()
            last = loop.time()
            following: asyncio.Future[Line] | None = None
            try:
                while not registry.leaving:
                    if following is None:
                        following = asyncio.ensure_future(anext(lines))
                    await asyncio.wait([following], timeout=STOP_CHECK_SECONDS)
                    line = None
                    if following.done():
                        try:
                            line = following.result()
                        except (StopAsyncIteration, Unreachable):  # without the database, the client asks again
                            return
                        following = None
                    if line is not None:
                        yield json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n"
                    elif loop.time() - last < KEEPALIVE_SECONDS:
                        continue
                    else:
                        yield b"\n"
                    last = loop.time()
            finally:
                registry.spawn(_end(lines, following))  # a cancelled stream must not wait

    return ChargedStream(text(), media_type=NDJSON, headers=HEADERS)


async def _end(lines: AsyncGenerator[Line, None], following: asyncio.Future[Line] | None) -> None:
    if following is not None:
        following.cancel()
        await asyncio.wait([following])
    await lines.aclose()


TableId = Annotated[str, Limit(32, pattern="^[A-Za-z0-9_-]+$")]
BotAction = Annotated[str, Limit(MAX_ACTION, 1)]
Wish = Literal["resign", "draw", "abort", "rematch"]
BotId = Annotated[str, Limit(pattern="^[A-Za-z0-9_.:-]{1,64}$")]


async def _bot(request: Request) -> Person:
    person = await person_of(request)
    if person is None:
        why = "A bot must send its token in the header Authorization: Bearer TOKEN."
        raise ApiError("not-signed-in", "authorization", why)
    if person.kind != "bot":
        why = "Only bots may do this. Make a new account a bot with POST /api/me/bot."
        raise ApiError("not-allowed", "account", why)
    return person


# What happens to a bot --------------------------------------------------------------------------------------------


@address("GET /api/bot/stream", media=NDJSON)
async def events(request: Request) -> StreamingResponse:
    """Challenges and games of this bot, one a line, from those that there are on; never ends."""
    bot, services = await _bot(request), services_of(request)
    return streamed(services, bot, EventStream(services, bot).lines())


@address("POST /api/bot/challenges/{table}/accept")
async def accept(table: TableId, request: Request) -> Any:
    """Accept a challenge: take the seat."""
    bot = await _bot(request)
    async with services_of(request).registry.table(table) as found:
        seat = asked_seat(found, bot)
    if seat is None:
        raise ApiError("not-found", "table", "This challenge does not exist.")
    await tables.sit(request, table, seat)
    await services_of(request).lobby.announce(table, [bot.id])
    return {"table": table, "seat": seat}


@address("POST /api/bot/challenges/{table}/decline")
async def decline(table: TableId, request: Request) -> Any:
    """Decline a challenge. The table is closed."""
    bot, services = await _bot(request), services_of(request)
    async with services.registry.table(table) as found:
        if asked_seat(found, bot) is None:
            raise ApiError("not-found", "table", "This challenge does not exist.")
        await found.submit(Change.once(lambda session, now: session.give_up_waiting("declined", now)))
    await services.lobby.announce(table, [bot.id])
    return {"table": table}


# One game ---------------------------------------------------------------------------------------------------------


@address("GET /api/bot/games/{table}/stream", media=NDJSON)
async def game(table: TableId, request: Request) -> StreamingResponse:
    """Stream the states of a game, one a line, until it is over."""
    bot = await _bot(request)
    async with entered(request, table) as entry:
        if not entry.client.held:
            raise ApiError("not-your-seat", "seat", "You do not have a seat in this game.")
    return streamed(services_of(request), bot, game_lines(request, table, bot))


@address("GET /api/bot/games/{table}/legal")
async def legal(table: TableId, request: Request) -> Any:
    """Return the position and the legal actions of the player to move."""
    await _bot(request)
    async with entered(request, table) as entry:
        session = entry.table.session

        def work() -> dict[str, Any]:
            position = session.position
            actions = [] if session.mover is None else [str(action) for action in position.legal_actions]
            return {"position": str(position), "ply": session.ply, "mover": session.mover, "legal": actions}

        return await services_of(request).registry.compute(work)


@address("POST /api/bot/games/{table}/act")
async def act(
    request: Request,
    table: TableId,
    ply: Ply,
    action: BotAction | None = None,
    actions: Annotated[Sequence[BotAction], Limit(MAX_BATCH, 1)] | None = None,
    id_: BotId | None = None,
) -> Any:
    """Play an ``action``, or several ``actions`` of one's own, after ``ply`` actions. Sent again with the same ``id``,
    it is not played again."""
    given = {"id": id_, "action": action, "actions": actions}
    message = {"type": "act", "id": "", "ply": ply, **{name: one for name, one in given.items() if one is not None}}
    return await _execute(request, table, cast("PlayMessage", message))


@address("POST /api/bot/games/{table}/answer")
async def answer(request: Request, table: TableId, what: OfferKind, yes: bool) -> Any:
    """Accept or decline what another player offers."""
    return await _execute(request, table, {"type": "answer", "id": "", "what": what, "yes": yes})


@address("POST /api/bot/games/{table}/claim")
async def claim(request: Request, table: TableId, seat: SeatNumber, what: ClaimKind) -> Any:
    """Claim the win, or an engine in the seat, against a player who has left."""
    return await _execute(request, table, {"type": "claim", "id": "", "seat": seat, "what": what})


@address("POST /api/bot/games/{table}/talk")
async def talk(
    request: Request, table: TableId, text: Annotated[str, Limit(MAX_LINE, 1)], room: ChatRoom = "players"
) -> Any:
    """Write a chat message."""
    bot = await _bot(request)
    async with entered(request, table) as entry:
        line, key = (room, text, None), f"{bot.id}:{secrets.token_hex(8)}"
        return {"number": await services_of(request).chat.say(entry.table, entry.client, bot, line, key)}


@address("POST /api/bot/games/{table}/{what}")
async def also(request: Request, table: TableId, what: Wish, seat: SeatNumber | None = None) -> Any:
    """Resign, offer a draw or accept one, call a game off that has hardly begun, offer a rematch or accept one."""
    return await _execute(request, table, cast("CommandMessage", {"type": what, "id": "", "seat": seat}))


async def _execute(request: Request, table_id: str, message: CommandMessage) -> Any:
    await _bot(request)
    async with entered(request, table_id) as entry:
        number = await execute(services_of(request), entry, message)
        return {"number": number, "ply": entry.table.session.ply}
