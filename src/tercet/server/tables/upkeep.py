"""What is due at tables besides commands: flags that fall at tables without clients, clocks that stand still since a
process died, new names, sessions that end and lose their seats, people who are gone for good, and finished games that
are counted."""

from __future__ import annotations

import asyncio
import functools
import logging
import time
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from tercet.play.session import LogEvent, Session, SessionError, Step
from tercet.server.errors import Unreachable, repeat
from tercet.server.people.identity import CHANNEL, PATROL_SECONDS, People
from tercet.server.people.rating_updates import RatingUpdates
from tercet.server.processes.lease import BEAT_SECONDS
from tercet.server.store.schema import SEATS
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.table import Table

LOG = logging.getLogger("tercet.server")
TABLES_AT_ONCE = 8
MAX_TABLES = 200  # tables in one round
RETRY_SECONDS = 600.0  # until a table that could not be read is looked at again


class Overdue:
    """Looks once a second for flags and clocks at tables without clients. Any number of processes may: of those that
    find a table one comes to own it."""

    def __init__(self, registry: TableRegistry) -> None:
        self.registry = registry
        self._failed: dict[str, float] = {}

    async def run(self) -> None:
        """Go on until cancelled."""
        await repeat("look for what is due", self.once, BEAT_SECONDS)

    async def once(self) -> None:
        """Look once. While many tables are being taken over at once, they are not looked at one by one too."""
        if self.registry.is_taking_over:
            return
        store, lease = self.registry.store, self.registry.lease
        for process_id in await store.owners():
            if await lease.is_dead(process_id):
                await self._look_at(await store.clocks_of(process_id, MAX_TABLES))
                await store.forget_idle(process_id)
        await self._look_at(await store.overdue(self.registry.now(), MAX_TABLES))

    async def _look_at(self, tables: Iterable[str]) -> None:
        now = time.monotonic()
        self._failed = {known: until for known, until in self._failed.items() if until > now}
        turn = asyncio.Semaphore(TABLES_AT_ONCE)

        async def look(table_id: str) -> None:
            async with turn:
                try:
                    async with self.registry.table(table_id) as table:
                        await table.consider_owning()
                except Unreachable:
                    raise
                except Exception as error:
                    self._failed[table_id] = time.monotonic() + RETRY_SECONDS
                    LOG.error("cannot read table %s", table_id, exc_info=not isinstance(error, SessionError))

        await asyncio.gather(*(look(table_id) for table_id in tables if table_id not in self._failed))


async def let_leave(registry: TableRegistry, seen: set[tuple[str, int | None, str]]) -> None:
    """Take people out of their games who are gone for good: their accounts are deleted or closed, or the guests have
    signed out and hold no link. Any number of processes may. ``seen`` is what this one has seen to."""
    found = await registry.store.left()
    seen &= found
    for one in found - seen:
        seen.add(one)  # a table that cannot be read is not read again
        try:
            async with registry.table(one[0]) as table:
                await _let_leave(table, *one[1:])
        except (SessionError, Unreachable):  # the next look may succeed
            seen.discard(one)
        except Exception:
            LOG.exception("could not let a person leave table %s", one[0])


async def _let_leave(table: Table, seat: int | None, person: str) -> None:
    def decide(session: Session, now: int) -> list[Step]:
        if seat is None:
            return session.give_up_waiting("declined", now)
        there = table.occupants.get(seat)  # by now it may be another person
        return session.leave(seat, now) if there is not None and there.person_id == person else []

    def also(connection: sa.Connection, events: Sequence[LogEvent]) -> None:
        if any(event.kind == "stand" for event in events):
            theirs = (SEATS.c.table_id == table.id) & (SEATS.c.seat == seat)
            connection.execute(SEATS.update().where(theirs).values(person_id=None))

    await table.perform(decide, also=also)


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

    leaving = functools.partial(let_leave, registry, set())
    registry.spawn_until_closed(repeat("let people leave their games", leaving, PATROL_SECONDS))

    def hear(data: dict[str, Any]) -> None:
        if data.get("gone"):
            registry.spawn(leaving())
        person = data.get("changed")
        for table in registry.tables if person else ():
            if any(occupant.person_id == person for occupant in table.occupants.values()):
                registry.spawn(table.look_at_seats())

    await registry.pubsub.subscribe(CHANNEL, hear)

    async def look_at_links() -> None:
        """Look for sessions that were revoked without a message: by the operator's command, or by a process that this
        one does not hear."""
        await asyncio.sleep(PATROL_SECONDS)
        tables = registry.tables
        kept = await registry.store.seat_tokens([table.id for table in tables])
        for table in tables:
            if kept.get(table.id, {}) != table.tokens:
                registry.spawn(table.look_at_seats())

    registry.spawn_until_closed(repeat("look for revoked links", look_at_links, 0))
