"""What the endpoints share: one process's registry, engines and limits, and how they have work done."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from starlette.requests import HTTPConnection, Request

from tercet.server.engine_pool.pool import EnginePool
from tercet.server.engine_pool.suggestions import Suggestions
from tercet.server.engine_pool.tasks import TaskPool
from tercet.server.fair_share.share import FairShare
from tercet.server.fair_share.spender import spender
from tercet.server.http.errors import ApiError
from tercet.server.http.limits import ServerLimits, Shares, address_group, network_group
from tercet.server.lobby.service import Lobby
from tercet.server.tables.chat import Chat
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.waiting import WaitingTables

__all__ = ["Services", "address_of", "network_of", "services_of", "share_of", "until_gone"]

T = TypeVar("T")


@dataclass
class Services:
    """What one server process has one of: registry, engines, limits, lobby, chat."""

    registry: TableRegistry
    engine_pool: EnginePool
    limits: ServerLimits
    origins: frozenset[str]
    fair_share: FairShare
    tasks: TaskPool
    lobby: Lobby
    chat: Chat
    waiting: WaitingTables
    sockets: Counter[str] = field(default_factory=Counter)
    suggested: Suggestions = field(init=False)

    def __post_init__(self) -> None:
        self.suggested = Suggestions(self.engine_pool)
        self.fair_share.exchange.show("sockets", self.sockets)

    async def study(
        self,
        work: Callable[[], T],
        asker: HTTPConnection | None = None,
        queue: Literal["opening", "reading", "drawing"] = "reading",
    ) -> T:
        """Run ``work`` apart from the tables, in turns with the other clients of that ``queue``, charged to the
        client of the current task. It is dropped if the ``asker`` leaves before it begins. Raise ApiError if the
        client has used up its share, or too much waits."""
        self.fair_share.budgets.check(spender(), "cpu", "bytes")
        threads = getattr(self.fair_share, queue)
        return await until_gone(asker, threads.run(work))

    async def study_apart(self, name: str, asked: dict[str, Any], asker: HTTPConnection | None = None) -> str:
        """The same of what may take long: the function of that name, ``module:function``, makes text of ``asked`` in
        another process."""
        self.fair_share.budgets.check(spender(), "cpu", "bytes")
        return await until_gone(asker, self.tasks.run(name, asked, spender()))


async def until_gone(asker: HTTPConnection | None, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of ``work``, which is cancelled if a request's ``asker`` hangs up (with an ApiError that no
    one receives)."""
    if not isinstance(asker, Request):
        return await work
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_gone(asker))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ApiError("not-possible", "request", "The client has left.")
    finally:
        leaving.cancel()
        working.cancel()


async def _gone(request: Request) -> None:
    """Wait until the client of ``request`` has hung up."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def services_of(connection: HTTPConnection) -> Services:
    """The services of the application that serves ``connection``."""
    services = connection.app.state.services
    assert isinstance(services, Services)
    return services


def address_of(connection: HTTPConnection) -> str:
    """The address that limits count for."""
    return address_group(connection.client.host if connection.client else None)


def share_of(connection: HTTPConnection) -> str:
    """Return the share of an unknown client."""
    return Shares.of_host(connection.client.host if connection.client else None)


def network_of(connection: HTTPConnection) -> str:
    """The network whose people share what is scarce."""
    return network_group(connection.client.host if connection.client else None)
