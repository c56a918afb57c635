"""What the endpoints share: one process's registry, threads and limits."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from starlette.requests import HTTPConnection

from tercet.server.engine_pool import EnginePool
from tercet.server.http.limits import Buckets, Limits, Shares, address_group, network_group
from tercet.server.lobby.service import Lobby
from tercet.server.tables.chat import Chat
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.waiting import WaitingTables

__all__ = ["Services", "address_of", "network_of", "services_of", "share_of"]

T = TypeVar("T")


@dataclass
class Services:
    """What one server process has one of: registry, engines, limits, lobby, chat."""

    registry: TableRegistry
    engine_pool: EnginePool
    limits: Limits
    origins: frozenset[str]
    tables: Buckets
    lobby: Lobby
    chat: Chat
    waiting: WaitingTables
    sockets: Counter[str] = field(default_factory=Counter)
    _studies: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(2, "tercet-study"))

    async def study(self, work: Callable[[], T]) -> T:
        """Run ``work`` apart from the tables, so that a long record to read holds up no game."""
        return await asyncio.get_running_loop().run_in_executor(self._studies, work)

    def close(self) -> None:
        """Take no more work."""
        self._studies.shutdown(wait=False, cancel_futures=True)


def services_of(connection: HTTPConnection) -> Services:
    """The services of the application that serves ``connection``."""
    services = connection.app.state.services
    assert isinstance(services, Services)
    return services


def address_of(connection: HTTPConnection) -> str:
    """The address that limits count for."""
    return address_group(connection.client.host if connection.client else None)


def share_of(connection: HTTPConnection) -> str:
    """On whose share of what is scarce something is that nobody known asks for."""
    return Shares.of_host(connection.client.host if connection.client else None)


def network_of(connection: HTTPConnection) -> str:
    """The network whose people share what is scarce."""
    return network_group(connection.client.host if connection.client else None)
