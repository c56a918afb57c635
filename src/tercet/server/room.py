"""What the endpoints share: one process's hub, threads and limits."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from starlette.requests import HTTPConnection

from tercet.server.bounds import Bounds, Buckets, address_group
from tercet.server.hub import Hub
from tercet.server.thinking import Thinking

if TYPE_CHECKING:
    from tercet.server.lobby import Lobby
    from tercet.server.talk import Talk

__all__ = ["Room", "address_of", "room_of"]

T = TypeVar("T")


@dataclass
class Room:
    """Everything alive in one server process."""

    hub: Hub
    thinking: Thinking
    bounds: Bounds
    origins: frozenset[str]
    tables: Buckets
    lobby: Lobby
    talk: Talk
    sockets: Counter[str] = field(default_factory=Counter)
    _studies: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(2, "tercet-study"))

    async def study(self, work: Callable[[], T]) -> T:
        """Run ``work`` apart from the tables, so that a long record to read holds up no game."""
        return await asyncio.get_running_loop().run_in_executor(self._studies, work)

    def close(self) -> None:
        """Take no more work."""
        self._studies.shutdown(wait=False, cancel_futures=True)


def room_of(connection: HTTPConnection) -> Room:
    """The room of the application that serves ``connection``."""
    room = connection.app.state.room
    assert isinstance(room, Room)
    return room


def address_of(connection: HTTPConnection) -> str:
    """The address that limits count for."""
    return address_group(connection.client.host if connection.client else None)
