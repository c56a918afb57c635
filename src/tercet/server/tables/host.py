"""What a table needs of the process that has it in memory; :class:`~tercet.server.tables.registry.TableRegistry` gives
it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from tercet.server.engines.pool import EnginePool
from tercet.server.limits.spender import Spender
from tercet.server.processes.lease import Lease, Now
from tercet.server.processes.pubsub import PubSub
from tercet.server.store import Store

__all__ = ["TableHost"]

T = TypeVar("T")


class TableHost(Protocol):
    """The process as its tables see it. ``now`` tells the time in milliseconds; ``draining`` says that the server stops
    and takes no more commands."""

    now: Now
    store: Store
    engine_pool: EnginePool
    pubsub: PubSub
    lease: Lease
    draining: bool

    @property
    def is_taking_over(self) -> bool:
        """Whether tables are being taken over, many at once."""

    async def compute(self, work: Callable[[], T], who: Spender | None = None) -> T:
        """Run ``work`` in a thread, charged to ``who`` (None: the client of the current task)."""

    async def compute_short(self, game: str, work: Callable[[], T], took: float) -> T:
        """Run ``work`` that recently ``took`` so many seconds: at once if that is little and nothing of the game has
        to be compiled."""

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task that runs until it is done, even if its client leaves."""

    async def perform(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of ``work``, which runs to its end even if the caller is cancelled."""
