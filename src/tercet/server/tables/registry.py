"""All tables that one process has in memory, and what is due at tables without clients: flags that fall, clocks that
stand still since a process died, new names, seats of people who are gone, finished games that are rated."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import math
import time
from collections import OrderedDict, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import sqlalchemy as sa

from tercet.core.execution import usual_execution
from tercet.play.session import LogEvent, Session, SessionError, Step
from tercet.server.errors import Unreachable, going_on, repeat
from tercet.server.people.identity import CHANNEL, PATROL_SECONDS, People
from tercet.server.people.rating_updates import RatingUpdates
from tercet.server.store.lease import BEAT_SECONDS
from tercet.server.store.schema import SEATS
from tercet.server.tables.state import LOST, Change, TableHost, time_lost
from tercet.server.tables.table import Table

LOG = logging.getLogger("tercet.server")
MAX_IDLE_TABLES = 100  # in memory without clients: one takes some 70 kB
IDLE_SECONDS = 20.0  # that they stay there
LONG_AGO = -math.inf  # earlier than a machine's own clock begins
TABLES_TOGETHER = 100  # tables that are asked for and written down as ours at once
Observer = Callable[[Table, list[LogEvent]], Awaitable[None]]


@dataclass(eq=False, repr=False)
class TableRegistry(TableHost):
    """All tables of one process. ``clock`` tells the time in milliseconds (None: this machine's, or the database's if
    it has other processes too). ``observers`` and ``turned`` are those of its tables (:class:`Table`); ``opened`` is
    called when a table was opened for people (ids)."""

    observers: list[Observer] = field(init=False, default_factory=list)
    turned: Callable[[Table], None] = field(init=False, default=lambda _: None)
    opened: Callable[[str, Iterable[str]], None] = field(init=False, default=lambda *_: None)
    _tables: OrderedDict[str, Table] = field(init=False, default_factory=OrderedDict)
    _loading: dict[str, asyncio.Lock] = field(init=False, default_factory=dict)

    async def _observe(self, table: Table, events: list[LogEvent]) -> None:
        for observer in self.observers:
            with going_on(f"take notice of what happened at table {table.id}"):
                await observer(table, events)

    def known(self, table_id: str) -> Table | None:
        """Return the table of that id if it is in memory."""
        return self._tables.get(table_id)

    @property
    def tables(self) -> list[Table]:
        """Return the tables in memory."""
        return list(self._tables.values())

    async def begin(self) -> None:
        """Begin to write that this process is alive. While no process is, no clock runs."""
        await self.lease.begin()
        self.pubsub.returned.append(self._follow_all)
        self.spawn_until_closed(self._beat())
        self.spawn_until_closed(self._watch())

    async def _beat(self) -> None:
        """Write regularly that this process is alive. This task does nothing else: it is late only if all of it is."""
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            beat = asyncio.ensure_future(self.lease.beat())
            try:
                while not (await asyncio.wait({beat}, timeout=BEAT_SECONDS))[0]:
                    self._send_elsewhere()
                if await beat:
                    self._follow_all()
            except Unreachable as error:  # the next beat may succeed
                LOG.warning("the database does not answer: %s", error)
                self._send_elsewhere()
            except Exception:
                LOG.exception("could not note that the server is alive")
            finally:
                beat.cancel()  # if the server ends meanwhile: no heartbeat may follow the last one

    def _send_elsewhere(self) -> None:
        """Close the sockets of all tables if this process is cut off: other processes play on there, and the clients
        here would not learn of it."""
        if self.lease.is_cut_off:
            for table in self.tables:
                for client in table.clients:
                    client.cut.set()

    async def _watch(self) -> None:
        """See regularly which processes are alive, and which tables have no owner or are idle."""
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            with going_on("look after the tables"):
                await self.lease.read_others()
                await self._follow()
                await self._drop_idle()

    def _follow_all(self) -> None:
        self.spawn(self._follow(everything=True))

    async def _follow(self, everything: bool = False) -> None:
        """Read what others have written to the tables here, and own those whose owners are dead."""
        known = self.tables
        others = self.lease.others
        for table in known:
            table.only_alive(others)
        if self.lease.is_alone and not everything:
            known = [table for table in known if not table.owned or table.are_seats_old]
        if not known:
            return
        heads = await self.store.heads([table.id for table in known])
        for table in known:
            number, owner = heads.get(table.id, (0, None))
            if number != table.session.number or table.are_seats_old:  # smaller: the database has lost what it had
                self.spawn(table.refresh())
            if not table.owned:
                table.owner = owner
        if not self.is_taking_over:
            self._taking = self.spawn(self._take_over(known))

    async def _take_over(self, tables: Iterable[Table]) -> None:
        """Own those of ``tables`` that no living process owns. The database is read and written for many at once."""
        by_owner: dict[int | None, list[Table]] = defaultdict(list)
        for table in tables:
            if not table.owned and table.damage is None:
                by_owner[table.owner].append(table)
        with going_on("take over tables"):
            for owner, theirs in by_owner.items():
                if owner is None or await self.lease.is_dead(owner):
                    for first in range(0, len(theirs), TABLES_TOGETHER):
                        await self._take_from(owner, theirs[first : first + TABLES_TOGETHER])

    async def _take_from(self, owner: int | None, tables: Sequence[Table]) -> None:
        """Own those of ``tables`` that the dead ``owner`` had; last, one by one, those where something is happening."""
        lease = self.lease
        if not lease.is_sure:  # a process that stood still does not know yet for how long
            return
        free = [table for table in tables if not table.lock.locked()]
        waiting = [table for table in tables if table.lock.locked()]
        for table in free:
            await table.lock.acquire()  # at once: it is free
        held = set(free)
        turn = asyncio.Semaphore(TABLES_AT_ONCE)

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
                        await table.take(numbers[table.id], process_id)
                finally:
                    held.discard(table)
                    table.lock.release()

        try:
            heads = await self.store.heads([table.id for table in free])
            lost = await time_lost(lease, owner, [table.session for table in free])
            ready = [table for table in await asyncio.gather(*map(give_back, free)) if table is not None]
            process_id = lease.process_id
            numbers = await self.store.own([table.id for table in ready], process_id, owner)
            planned = await self.store.conditional(list(numbers)) if numbers else {}
            for table in ready:
                table.conditional.know(planned.get(table.id, {}))
            taking = (take(table) for table in ready if table.id in numbers)
            errors = await asyncio.gather(*taking, return_exceptions=True)
        finally:
            for table in held:
                table.lock.release()
        for error in errors:
            if error is not None:
                raise error
        for table in waiting:
            async with turn:
                await table.consider_owning()

    async def _drop_idle(self) -> None:
        long_ago = time.monotonic() - IDLE_SECONDS
        idle = [table for table in self.tables if table.used < long_ago and table.is_idle]
        for table in idle:
            del self._tables[table.id]
            table.drop()
        owned = [table.id for table in idle if table.owned]
        if owned:
            await self.store.disown(self.lease.process_id, owned)

    async def close(self) -> None:
        """Stop engines, finish what is being written, and leave the tables to other processes."""
        self.leaving = self.draining = True
        for task in self._endless:
            task.cancel()
        for table in self._tables.values():
            table.engines.stop()
            table.put_away()
        self.engine_pool.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=3)
        with contextlib.suppress(Unreachable):
            await self.store.disown(self.lease.process_id)
        await self.lease.end()
        await self.pubsub.close()
        self._threads.close()

    @contextlib.asynccontextmanager
    async def table(self, table_id: str) -> AsyncIterator[Table]:
        """Yield the table of that id, which stays in memory meanwhile. Raise SessionError if there is none."""
        table = await self._get(table_id)
        table.visitors += 1
        try:
            yield table
        finally:
            table.visitors -= 1
            table.used = time.monotonic()

    async def _get(self, table_id: str) -> Table:
        table = self._tables.get(table_id)
        if table is None:
            lock = self._loading.setdefault(table_id, asyncio.Lock())
            try:
                async with lock:
                    table = self._tables.get(table_id)
                    if table is None:
                        table = await self._load(table_id)
            finally:
                if not lock.locked():
                    self._loading.pop(table_id, None)
        elif table.are_seats_old or not self.lease.is_alone:
            await table.refresh()
        self._tables.move_to_end(table_id)
        return table

    async def _load(self, table_id: str) -> Table:
        stored = await self.store.load(table_id)
        if stored is None and table_id in self.store.lost:
            raise SessionError("damaged", "table", LOST)
        if stored is None:
            raise SessionError("unknown-table", "table", "Game not found.")
        game = stored.info.settings.game
        if usual_execution(game) == "compiled":
            try:
                await self.load_compiled(game)
            except Exception:
                LOG.exception("could not load the kernels of %s", game)
        session = await self.compute(lambda: Session.replay(stored.info.settings, stored.log))
        table = Table(self, replace(stored, damage=None), session, self._observe, lambda table: self.turned(table))
        if stored.damage is not None:
            await table.note_damage(stored.damage)
        await table.listen()
        idle = [known for known in self.tables if known.is_idle and known.used != LONG_AGO]
        for other in idle[: max(0, len(idle) + 1 - MAX_IDLE_TABLES)]:
            other.used = LONG_AGO  # the next look for idle tables drops it
        self._tables[table_id] = table
        table.owner = None if stored.owner is None or await self.lease.is_dead(stored.owner) else stored.owner
        await table.consider_owning()
        return table


TABLES_AT_ONCE = 8
MAX_TABLES = 200  # tables in one round
RETRY_SECONDS = 600.0  # until a table that could not be read is looked at again


class Overdue:
    """Takes tables without clients into memory where a flag is due, or the owner is dead and a clock runs. Any number
    of processes may do so: one of them comes to own the table."""

    def __init__(self, registry: TableRegistry) -> None:
        self.registry = registry
        self._failed: dict[str, float] = {}

    async def run(self) -> None:
        """Do so once a second, until cancelled."""
        await repeat("look for what is due", self.once, BEAT_SECONDS)

    async def once(self) -> None:
        """Do so now, unless the tables of a dead process are being taken over in bulk."""
        if self.registry.is_taking_over:
            return
        store, lease = self.registry.store, self.registry.lease
        for process_id in await store.owners():
            if await lease.is_dead(process_id):
                await self._visit(await store.clocks_of(process_id, MAX_TABLES))
                await store.forget_idle(process_id)
        await self._visit(await store.overdue(self.registry.now(), MAX_TABLES))

    async def _visit(self, tables: Iterable[str]) -> None:
        now = time.monotonic()
        self._failed = {known: until for known, until in self._failed.items() if until > now}
        turn = asyncio.Semaphore(TABLES_AT_ONCE)

        async def visit(table_id: str) -> None:
            async with turn:
                try:
                    async with self.registry.table(table_id) as table:
                        await table.consider_owning()
                except Unreachable:
                    raise
                except Exception as error:
                    self._failed[table_id] = time.monotonic() + RETRY_SECONDS
                    LOG.error("cannot read table %s", table_id, exc_info=not isinstance(error, SessionError))

        await asyncio.gather(*(visit(table_id) for table_id in tables if table_id not in self._failed))


async def let_leave(registry: TableRegistry, seen: set[tuple[str, int | None, str]]) -> None:
    """Take people out of their games who are gone for good: their accounts are deleted or closed, or they are guests
    who have signed out and hold no link. Any number of processes may do so. ``seen`` is what this one has done."""
    left = await registry.store.left()
    seen &= left
    for one in left - seen:
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

    await table.submit(Change.once(decide, also=also))


async def settle(registry: TableRegistry, people: People) -> None:
    """Start what tables and people need of each other: rate finished games, show new names at tables, close the
    sockets of sessions that end in any process, and take people out of their games who are gone."""
    counting = RatingUpdates(people.database)

    async def observe(table: Table, _events: list[LogEvent]) -> None:
        if table.info.rated and table.session.is_over:
            counting.nudge()

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
                registry.spawn(table.reread_seats())

    await registry.pubsub.subscribe(CHANNEL, hear)

    async def reread() -> None:
        """Read the seats of tables again whose links were revoked without a message, by the operator's command or by a
        process that this one does not hear; and conditional moves that such a process has set."""
        await asyncio.sleep(PATROL_SECONDS)
        tables = registry.tables
        kept = await registry.store.seat_tokens([table.id for table in tables])
        planned = await registry.store.conditional([table.id for table in tables])
        for table in tables:
            if kept.get(table.id, {}) != table.tokens:
                registry.spawn(table.reread_seats())
            table.conditional.note(planned.get(table.id, {}))

    registry.spawn_until_closed(repeat("look for revoked links", reread, 0))
