"""Work that is due at tables without clients: flags that fall, and clocks that stand still since a process died."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Iterable

from tercet.server.errors import Unreachable
from tercet.server.processes.lease import BEAT
from tercet.server.tables.registry import TableRegistry
from tercet.session import SessionError

__all__ = ["Overdue"]

LOG = logging.getLogger("tercet.server")
AT_ONCE = 8  # tables
MOST = 200  # tables in one round
PAUSE = 600.0  # seconds until a table that could not be read is looked at again


class Overdue:
    """Looks for them once a second. Any number of processes may: of those that find a table one comes to own it."""

    def __init__(self, registry: TableRegistry) -> None:
        self.registry = registry
        self._failed: dict[str, float] = {}

    async def run(self) -> None:
        """Go on until cancelled."""
        while True:
            try:
                await self.once()
            except Unreachable:
                pass  # the beat says so
            except Exception:
                LOG.exception("could not look for what is due")
            await asyncio.sleep(BEAT)

    async def once(self) -> None:
        """Look once. While many tables are being taken over at once, they are not looked at one by one too."""
        if self.registry.is_taking_over:
            return
        store, lease = self.registry.store, self.registry.lease
        for run in await store.owners():
            if await lease.is_dead(run):
                await self._look_at(await store.left_by(run, MOST))
                await store.forget_idle(run)
        await self._look_at(await store.overdue(self.registry.now(), MOST))

    async def _look_at(self, tables: Iterable[str]) -> None:
        now = time.monotonic()
        self._failed = {known: until for known, until in self._failed.items() if until > now}
        turn = asyncio.Semaphore(AT_ONCE)

        async def look(table_id: str) -> None:
            async with turn:
                try:
                    async with self.registry.table(table_id) as table:
                        await table.consider_owning()
                except Unreachable:
                    raise
                except Exception as error:
                    self._failed[table_id] = time.monotonic() + PAUSE
                    LOG.error("cannot read table %s", table_id, exc_info=not isinstance(error, SessionError))

        await asyncio.gather(*(look(table_id) for table_id in tables if table_id not in self._failed))
