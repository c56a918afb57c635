"""How many tables of one network wait for players at once."""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import sqlalchemy as sa

from tercet.server.errors import ApiError
from tercet.server.limits.spender import Bounded
from tercet.server.processes.pubsub import PubSub
from tercet.server.store.database import Database
from tercet.server.store.schema import TABLES

CHANNEL = "waiting"
MAX_NETWORKS = 10_000  # that are remembered


class _Network:
    """The tables that a network opened and that waited when last looked at, and how many are just being opened."""

    def __init__(self) -> None:
        self.tables: list[str] = []
        self.opening = 0

    @property
    def count(self) -> int:
        return len(self.tables) + self.opening


class WaitingTables:
    """Keeps networks from filling the lobby: ``most`` tables of each may wait at once (None: any number), so far as
    processes that are alive opened them. Processes hear of each other's by ``pubsub``."""

    def __init__(self, database: Database, most: int | None, pubsub: PubSub) -> None:
        self.database = database
        self.most = most
        self.pubsub = pubsub
        self._networks: Bounded[str, _Network] = Bounded(MAX_NETWORKS)

    async def begin(self) -> None:
        """Hear of what is opened from now on."""
        await self.pubsub.subscribe(CHANNEL, self._hear)

    def _hear(self, data: dict[str, Any]) -> None:
        if self.most is not None:
            tables = self._network(data["network"]).tables
            tables.append(data["table"])
            del tables[: -4 * self.most]  # old ones, which no client of this process opened

    def _network(self, network: str) -> _Network:
        known = self._networks.recent(network)
        if known is None:
            known = self._networks[network] = _Network()
        return known

    async def opened(self, network: str, table_id: str) -> None:
        """Let all processes know that a table of ``network`` waits."""
        await self.pubsub.publish(CHANNEL, {"network": network, "table": table_id})

    @contextlib.asynccontextmanager
    async def place(self, network: str) -> AsyncIterator[None]:
        """Reserve a place for one more table of ``network``; the caller confirms it with :meth:`opened`. Raise
        ApiError if there is none."""
        known = self._network(network)
        if self.most is not None and known.count >= self.most:
            await self._look(known)
            if known.count >= self.most:
                raise ApiError(
                    "too-many", "network", f"{self.most} games from your network are already waiting for players."
                )
        known.opening += 1
        try:
            yield
        finally:
            known.opening -= 1

    async def _look(self, known: _Network) -> None:
        before = list(known.tables)
        still = TABLES.c.id.in_(before) & (TABLES.c.waiting > 0) & TABLES.c.over.is_(False)
        asked = sa.select(TABLES.c.id).where(still)
        waiting = await self.database.scalars(asked)
        known.tables[:] = [one for one in known.tables if one in waiting or one not in before]


MAX_KEPT_BYTES = 24_000_000


class PictureCache:
    """The latest pictures and files, by keys that say all that they show."""

    def __init__(self, most: int = MAX_KEPT_BYTES) -> None:
        self.most = most
        self._kept: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()
        self._size = 0
        self._drawing: dict[tuple[Any, ...], asyncio.Lock] = {}

    async def get(self, key: tuple[Any, ...], draw: Callable[[], Awaitable[bytes]]) -> bytes:
        """Return the picture of that key, drawn once however many clients ask for it at the same time."""
        lock = self._drawing.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                if key not in self._kept:
                    self._keep(key, await draw())
                self._kept.move_to_end(key)
                return self._kept[key]
        finally:
            if not lock.locked():
                self._drawing.pop(key, None)

    def _keep(self, key: tuple[Any, ...], picture: bytes) -> None:
        self._kept[key] = picture
        self._size += len(picture)
        while self._size > self.most and len(self._kept) > 1:
            self._size -= len(self._kept.popitem(last=False)[1])
