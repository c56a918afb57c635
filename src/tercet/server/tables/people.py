"""What tables and people have to do with each other in every process: finished games are counted, new names appear,
and sessions that end lose their seats."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from tercet.server.errors import Unreachable
from tercet.server.people.identity import CHANNEL, PATROL, People
from tercet.server.people.rating_updates import RatingUpdates
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.table import Table
from tercet.session import LogEvent

__all__ = ["settle"]


async def settle(registry: TableRegistry, people: People) -> None:
    """Start the work behind people: count finished games, show new names at tables, and close the sockets of
    sessions that end in any process."""
    counting = RatingUpdates(people.database)

    async def observe(table: Table, _events: list[LogEvent]) -> None:
        if table.info.rated and table.session.is_over:
            counting.look_soon()

    registry.observers.append(observe)
    registry.spawn_until_closed(counting.run())
    await people.begin(registry.pubsub)
    registry.spawn_until_closed(people.patrol())

    def hear(data: dict[str, Any]) -> None:
        person = data.get("changed")
        for table in registry.tables if person else ():
            if any(occupant.person_id == person for occupant in table.occupants.values()):
                registry.spawn(table.look_at_seats())

    await registry.pubsub.subscribe(CHANNEL, hear)
    registry.spawn_until_closed(_look_at_links(registry))


async def _look_at_links(registry: TableRegistry) -> None:
    """Check regularly for sessions that were revoked without a message: by the operator's command, or by a process
    that this one does not hear."""
    while True:
        await asyncio.sleep(PATROL)
        with contextlib.suppress(Unreachable):  # the registry's beat says so
            tables = registry.tables
            kept = await registry.store.seat_tokens([table.id for table in tables])
            for table in tables:
                if kept.get(table.id, {}) != table.tokens:
                    registry.spawn(table.look_at_seats())
