"""Answers to bots that do not end: what happens to a bot, and how one of its games goes on, a line of JSON each."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import sqlalchemy as sa
from starlette.requests import Request
from starlette.responses import StreamingResponse

from tercet.play.session import SessionError
from tercet.server.api.access import entered
from tercet.server.api.bot_messages import asked_seat, game_info, game_state
from tercet.server.errors import ApiError, Unreachable
from tercet.server.limits.rates import counted
from tercet.server.people.identity import Person
from tercet.server.processes.pubsub import happens, news_of
from tercet.server.services import Services, services_of
from tercet.server.store.schema import SEATS, TABLES
from tercet.server.tables.broadcast import Client

KEEPALIVE_SECONDS = 6.0  # between two lines, if only empty ones
CHECK_SECONDS = 2.0  # between looks for games that no message announced
STOP_CHECK_SECONDS = 0.5  # in which a stream sees that the server stops
MAX_STREAMS = 100  # of one bot
NDJSON: dict[int | str, dict[str, Any]] = {200: {"content": {"application/x-ndjson": {}}}}  # of an address
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

    return StreamingResponse(text(), media_type="application/x-ndjson", headers=HEADERS)


async def _end(lines: AsyncGenerator[Line, None], following: asyncio.Future[Line] | None) -> None:
    if following is not None:
        following.cancel()
        await asyncio.wait([following])
    await lines.aclose()
