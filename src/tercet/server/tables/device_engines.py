"""Engines that think on a client's device: the only person at an unrated table may let theirs do it."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass

from tercet.engines import FULL
from tercet.errors import TercetError
from tercet.play.session import Session
from tercet.server.tables.broadcast import Client
from tercet.server.tables.state import TableState

DEVICE_SECONDS = 6.0  # that a device has to choose an action; levels below the highest take at most 3
CLOCK_SHARE = 0.25  # of the time that the engine's clock has left


@dataclass(frozen=True)
class _Question:
    """What ``client`` was asked."""

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
        """Take notice of whether the device of ``client`` can think from now on."""
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
        """Wait for no answer any longer."""
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
        client.tell(
            {
                "type": "think",
                "n": asked.number,
                "seat": seat,
                "position": str(session.position),
                "level": level,
                "seed": secrets.randbits(32),
            }
        )
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
