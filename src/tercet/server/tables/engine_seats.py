"""Engines in a table's seats: the one whose decision it is thinks in the process that owns the table, or on the device
of the only person at an unrated table."""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, cast

from tercet.answers.errors import AnswerError
from tercet.answers.wire.table_messages import Thinking, ThinkQuestion
from tercet.engines import FULL
from tercet.errors import TercetError
from tercet.play.session import PlayAction, Session, SessionError, Step
from tercet.server.engines.pool import progress
from tercet.server.tables.clients import Client
from tercet.server.tables.state import Change, FollowedTable, TableState

DEVICE_SECONDS = 6.0  # that a device has to choose an action; levels below the highest take at most 3
CLOCK_SHARE = 0.25  # of the time that the engine's clock has left


@dataclass(frozen=True)
class _Question:
    """A question to the device of ``client``."""

    number: int
    client: Client
    answer: asyncio.Future[str | None]


class DeviceEngines:
    """The devices that may think for the engines of one table. A device is asked for one action at a time. It is not
    asked again after it has failed, until its client offers it once more."""

    def __init__(self, state: TableState) -> None:
        self._state = state
        self._offering: dict[Client, None] = {}  # the latest is the last
        self._asked: _Question | None = None
        self._number = 0

    def offer(self, client: Client, can: bool) -> None:
        """Note whether the device of ``client`` can think from now on."""
        self._offering.pop(client, None)
        if can:
            self._offering[client] = None
        elif self._asked is not None and self._asked.client is client:
            self.stop()

    def take(self, client: Client, number: int, action: str | None) -> None:
        """Take the answer of ``client`` to a question. It is ignored unless the question still waits for it."""
        asked = self._asked
        if asked is None or (asked.client, asked.number) != (client, number) or asked.answer.done():
            return
        if action is None:
            self._offering.pop(client, None)
        asked.answer.set_result(action)

    def stop(self) -> None:
        """Stop waiting for an answer."""
        if self._asked is not None and not self._asked.answer.done():
            self._asked.answer.set_result(None)

    async def ask(self, session: Session, seat: int) -> str | None:
        """Return the legal action that the engine in ``seat`` chooses on a device; None if no device may think for it,
        or if it fails."""
        level, client = session.seats[seat].level, self._client(session, seat)
        if client is None:
            return None
        self._number += 1
        asked = _Question(self._number, client, asyncio.get_running_loop().create_future())
        self._asked = asked
        question = {"seat": seat, "position": str(session.position), "level": level, "seed": secrets.randbits(32)}
        client.tell(cast("ThinkQuestion", {"type": "think", "n": asked.number, **question}))
        try:
            async with asyncio.timeout(self._seconds(session)):
                action = await asked.answer
            return None if action is None else str(session.position.action(action))
        except (TimeoutError, TercetError):
            self._offering.pop(client, None)
            return None

    def _client(self, session: Session, seat: int) -> Client | None:
        """Return the client whose device may think for ``seat``: the latest of the only person who has ever played
        here, in a game that is not rated. A device plays no level that takes time instead of nodes."""
        people = {number for number, one in enumerate(self._state.settings.seats) if one.kind != "engine"}
        if self._state.info.rated or len(people) != 1 or session.seats[seat].level >= FULL:
            return None
        return next((one for one in reversed(self._offering) if one.held == people), None)

    def _seconds(self, session: Session) -> float:
        """Return how long a device may think: an engine with a clock keeps most of its time."""
        if session.deadline is None:
            return DEVICE_SECONDS
        return min(DEVICE_SECONDS, CLOCK_SHARE * max(0, session.deadline - self._state.host.now()) / 1000)


LOG = logging.getLogger("tercet.server")
RETRY_SECONDS = 0.2  # until a move that could not be played is tried again


class EngineSeats:
    """The engines of one table, of which at most one thinks. They play like anyone else, by ``submit``. ``devices`` are
    those of clients that think for them."""

    def __init__(self, table: FollowedTable, submit: Callable[[Change], Awaitable[int]]) -> None:
        self._table = table
        self._submit = submit
        self.devices = DeviceEngines(table)
        self._thinking: asyncio.Task[None] | None = None
        self._thought_about: Any = None
        self._stop = threading.Event()

    @property
    def is_thinking(self) -> bool:
        """Return whether an engine thinks."""
        return self._thinking is not None and not self._thinking.done()

    def stop(self) -> None:
        """Stop the engine that thinks, if one does."""
        self._stop.set()
        self.devices.stop()

    def wake(self) -> None:
        """Let the engine whose decision it is think, if there is one; stop one that thinks about another position."""
        table, session = self._table, self._table.session
        if self.is_thinking:
            if self._thought_about is session.position and not session.is_over:
                return
            self.stop()
        mover = session.mover
        if mover is None or session.seats[mover].kind != "engine" or not table.owned or table.damage is not None:
            return
        if all(seat.kind == "engine" for seat in session.seats) and not (table.clients or table.presence.watchers):
            return
        self._stop = threading.Event()
        self._thought_about = session.position
        self._thinking = table.host.spawn(self._think(session, mover, self._stop))

    async def _think(self, session: Session, seat: int, stop: threading.Event) -> None:
        try:
            chosen = await self._choose(session, seat, stop)
        except Exception:
            LOG.exception("the engine in seat %d of table %s failed", seat, self._table.id)
            why = "The engine failed. Reload the page to let it try again."
            await self._table.tell_everywhere(AnswerError("unavailable", "engine", why).message())
            return
        table = self._table

        def is_due() -> bool:
            now = table.session
            return not stop.is_set() and now.position is session.position and now.mover == seat

        def decide(now: Session, came: int) -> list[Step]:
            return now.apply(PlayAction(frozenset({seat}), session.ply, chosen), came) if is_due() else []

        while is_due() and table.owned and not table.host.draining:  # the next owner starts the engine again
            try:
                await self._submit(Change(decide, short=True, as_owner=True))
            except SessionError as refused:
                if refused.code != "unavailable":  # its time is up, say
                    return
                await asyncio.sleep(RETRY_SECONDS)

    async def _choose(self, session: Session, seat: int, stop: threading.Event) -> str:
        """Return the action that the engine chooses; clients follow its progress."""
        table, loop = self._table, asyncio.get_running_loop()
        chosen = await self.devices.ask(session, seat)
        if chosen is not None or stop.is_set():
            return chosen or ""

        def tell(report: dict[str, Any]) -> None:
            info, preparing = progress(report)
            message = {"type": "thinking", "seat": seat, "info": info, "preparing": preparing}
            table.host.spawn(self._table.tell_everywhere(cast("Thinking", message)))

        def report(info: dict[str, Any]) -> None:
            loop.call_soon_threadsafe(tell, info)

        person = table.info.creator or next((occupant.person_id for occupant in table.occupants.values()), None)
        owner, level = f"{table.id} {seat}", session.seats[seat].level
        return await table.host.engine_pool.move(owner, session.position, level, stop, report, person)
