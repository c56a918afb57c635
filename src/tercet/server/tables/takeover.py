"""Taking over many tables at once, after a process has stood still for a while or died."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import Iterable, Sequence

from tercet.server.errors import Unreachable
from tercet.server.tables.host import TableHost
from tercet.server.tables.ownership import time_lost
from tercet.server.tables.table import Table
from tercet.session import SessionError

__all__ = ["take_over"]

TOGETHER = 100  # tables that are asked for and written down as ours at once
AT_ONCE = 8  # of which so many are seen to at once: the process has to say meanwhile that it lives


async def take_over(host: TableHost, tables: Iterable[Table]) -> None:
    """Own the ``tables`` that no living process owns: their former owners, their unserved time, and the new owner
    are read and written once for many. Raise Unreachable if the database does not answer."""
    by_owner: dict[int | None, list[Table]] = defaultdict(list)
    for table in tables:
        if not table.owned and table.damage is None:
            by_owner[table.owner].append(table)
    for owner, theirs in by_owner.items():
        if owner is None or await host.lease.is_dead(owner):
            for first in range(0, len(theirs), TOGETHER):
                await _take(host, theirs[first : first + TOGETHER], owner)


async def _take(host: TableHost, tables: Sequence[Table], owner: int | None) -> None:
    """Own those of ``tables`` that ``owner`` owned and at which nothing happens just now, and see to each of the others
    when its turn comes."""
    lease = host.lease
    if not lease.is_sure:  # a process that stood still does not know yet for how long
        return
    free: list[Table] = []
    waiting: list[Table] = []
    for table in tables:
        (waiting if table.lock.locked() else free).append(table)
    for table in free:
        await table.lock.acquire()  # at once: it is free
    held = set(free)
    turn = asyncio.Semaphore(AT_ONCE)

    async def give_back(table: Table) -> Table | None:
        async with turn:
            with contextlib.suppress(SessionError, Unreachable):
                await table.give_back(heads[table.id][0], lost)
                return table
        return None

    async def take(table: Table) -> None:
        async with turn:
            try:
                with contextlib.suppress(SessionError, Unreachable):
                    await table.taken(numbers[table.id])
            finally:
                held.discard(table)
                table.lock.release()

    try:
        heads = await host.store.heads([table.id for table in free])
        lost = await time_lost(lease, owner, [table.session for table in free])
        ready = [table for table in await asyncio.gather(*map(give_back, free)) if table is not None]
        numbers = await host.store.own([table.id for table in ready], lease.process_id, owner)
        found = await asyncio.gather(*(take(table) for table in ready if table.id in numbers), return_exceptions=True)
    finally:
        for table in held:
            table.lock.release()
    for error in found:
        if error is not None:
            raise error
    for table in waiting:
        async with turn:
            await table.consider_owning()
