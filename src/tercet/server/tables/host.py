"""What a table needs of the process that has it in memory: :class:`~tercet.server.tables.registry.TableRegistry`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from tercet.server.cluster.lease import Lease, Now
from tercet.server.cluster.pubsub import PubSub
from tercet.server.engine_pool import EnginePool
from tercet.server.store import Store
from tercet.session import LogEvent

__all__ = ["TableHost"]

T = TypeVar("T")


class TableHost(Protocol):
    """The process of a table: its clock (``now``, milliseconds), database, engines, lease and messages to other
    processes, and where work is done. ``draining``: it stops, and takes no more commands."""

    now: Now
    store: Store
    engine_pool: EnginePool
    pubsub: PubSub
    lease: Lease
    draining: bool

    async def compute(self, work: Callable[[], T]) -> T:
        """Run ``work`` in a thread."""

    async def compute_short(self, game: str, work: Callable[[], T]) -> T:
        """Run ``work`` of a few milliseconds, at once where nothing of the game has to be compiled for it."""

    def spawn(self, work: Any) -> asyncio.Task[Any]:
        """A task that is kept until it is done."""

    async def perform(self, work: Any) -> Any:
        """The result of ``work``, which runs to its end even if the caller is cancelled."""

    def note(self, table: Any, events: list[LogEvent]) -> None:
        """Have the observers look at what happened at ``table``."""
