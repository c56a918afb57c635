"""Explorations of positions, to whom they are closed, and the socket on which an engine analyses a position."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fastapi import Request
from starlette.websockets import WebSocket, WebSocketDisconnect

import tercet
from tercet.answers import positions
from tercet.answers.addresses import answers
from tercet.answers.positions import lines_shown
from tercet.answers.wire import client_messages as wire
from tercet.server.api.connection import open_socket, receive_text, translated
from tercet.server.engines.pool import progress
from tercet.server.errors import ApiError, as_api_error
from tercet.server.limits.budgets import Bucket
from tercet.server.limits.spenders import Metered, spender
from tercet.server.people.identity import person_of
from tercet.server.schema import socket
from tercet.server.services import Services, services_of, share_of, until_gone
from tercet.server.tables.table import Table


class _AnalysisSession:
    """One client's analysis: at most one position at a time."""

    def __init__(self, socket: WebSocket, services: Services, person: str) -> None:
        self.socket = socket
        self.services = services
        self.person = person
        self.name = f"analysis {id(self)}"
        self.stop = threading.Event()
        self.work: asyncio.Task[None] | None = None
        self.sending = asyncio.Lock()

    async def send(self, message: Mapping[str, Any]) -> None:
        async with self.sending:
            await self.socket.send_json(translated(self.socket, message, wire.AnalysisServerMessage))

    async def halt(self) -> None:
        """Stop thinking, and wait until it has stopped."""
        self.stop.set()
        if self.work is not None:
            await asyncio.wait([self.work])
            self.work = None

    async def go(self, message: wire.GoMessage) -> None:
        """Begin to think about what ``message`` asks."""
        asked, lines, move_time = message["id"], message.get("multipv") or 1, message.get("movetime")
        seconds = self.services.limits.analysis_seconds
        if move_time is not None:
            seconds = min(seconds, move_time / 1000)
        may_explore(self.services.registry.tables, self.person, message["position"].strip())
        self.services.fair_share.budgets.check(spender(), "engine")
        position = await self.services.compute(lambda: tercet.parse(message["position"].strip()))
        await self.halt()
        if position.is_over:
            await self.send({"type": "done", "id": asked, "best": None})
            return
        self.stop = threading.Event()
        self.work = asyncio.ensure_future(Metered(self._think(asked, position, lines, seconds, self.stop)))

    async def _think(
        self, asked: str, position: tercet.Position, lines: int, seconds: float, stop: threading.Event
    ) -> None:
        loop = asyncio.get_running_loop()
        news: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

        def report(found: dict[str, Any]) -> None:
            info, preparing = progress(found)
            loop.call_soon_threadsafe(news.put_nowait, {**info, "preparing": preparing})

        async def pass_on() -> None:
            ended = False
            while not ended and (info := await news.get()) is not None:
                while not news.empty():  # a slow client gets the newest
                    newer = news.get_nowait()
                    ended = newer is None
                    info = newer or info
                shown = await self.services.compute(functools.partial(lines_shown, position, info["lines"]))
                await self.send({"type": "info", "id": asked, **info, "lines": shown})

        passing = asyncio.ensure_future(Metered(pass_on()))
        try:
            pool = self.services.engine_pool
            best = await pool.analyse(self.name, position, lines, seconds, stop, report, self.person)
            news.put_nowait(None)
            await passing
            await self.send({"type": "done", "id": asked, "best": best or None})
        except Exception as error:
            if not isinstance(error, WebSocketDisconnect | RuntimeError):
                with contextlib.suppress(WebSocketDisconnect, RuntimeError):  # the client may have hung up
                    await self.send(as_api_error(error).message(asked))
        finally:
            passing.cancel()


@socket("/api/analysis", wire.AnalysisServerMessage, wire.AnalysisClientMessage)
async def analysis(socket: WebSocket) -> None:
    """Analyse positions: ``go`` and ``stop``."""
    async with open_socket(socket) as services:
        person = await person_of(socket)
        desk = _AnalysisSession(socket, services, share_of(socket) if person is None else person.id)
        bucket = Bucket(10, 30)
        try:
            while True:
                text = ""
                try:
                    text = await receive_text(socket, services.limits.message)
                    if not bucket.take():
                        raise ApiError("too-many", "message", "You have sent too many messages. Wait a moment.")
                    message = wire.decode_analysis_message(text)
                    if message["type"] == "go":
                        await desk.go(message)
                    elif message["type"] == "stop":
                        await desk.halt()
                    else:
                        await desk.send({"type": "pong"})
                except (WebSocketDisconnect, asyncio.CancelledError):
                    raise
                except Exception as error:
                    await desk.send(as_api_error(error).message(wire.legible_id(text)))
        finally:
            await desk.halt()
            services.engine_pool.forget(desk.name)


@answers(positions.explored)
async def explore(request: Request, position: str, id_: str, cell: str | None = None) -> Any:
    services = services_of(request)
    person = await person_of(request)
    if person is not None:
        may_explore(services.registry.tables, person.id, position.strip())
    who = share_of(request) if person is None else person.id
    return await until_gone(request, services.engine_pool.explore(position, id_, cell, who))


def may_explore(tables: Iterable[Table], person_id: str, position: str) -> None:
    """ApiError where the person plays a rated game, or one without explorations, that stands at ``position``."""
    if position in closed_positions(tables, person_id):
        raise ApiError("not-possible", "id", "Engines and analysis tools are off in the game that you are playing.")


def closed_positions(tables: Iterable[Table], person_id: str) -> Iterator[str]:
    """Yield the positions of the rated games, and of those without explorations, that the person is playing."""
    for table in tables:
        if (table.settings.explore and not table.info.rated) or table.session.is_over:
            continue
        if person_id in {one.person_id for one in table.occupants.values()}:
            yield str(table.session.position)
