"""All tables that one process has in memory, and what it tells the others of itself."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from tercet.engines.preparing import exercise_rules
from tercet.execution import choose_execution, usual_execution
from tercet.server.engines.pool import EnginePool
from tercet.server.errors import Unreachable
from tercet.server.limits.budgets import Budgets
from tercet.server.limits.spender import SERVER, Spender, spender
from tercet.server.limits.threads import FairThreads
from tercet.server.processes.lease import BEAT, Lease, Now
from tercet.server.processes.pubsub import LocalPubSub, PubSub
from tercet.server.store import Leases, SeatAccess, Store, TableInfo
from tercet.server.tables.table import Table
from tercet.server.tables.takeover import take_over
from tercet.session import LogEvent, Session, SessionError

__all__ = ["Observer", "TableRegistry"]

LOG = logging.getLogger("tercet.server")
MAX_IDLE_TABLES = 100  # in memory without clients: one takes some 70 kB
IDLE = 20.0  # seconds that they stay there
LONG_AGO = -math.inf  # earlier than a machine's own clock begins
SHORT = 0.2  # seconds, at most, that are charged for work done at once: in the rest others had the processor
LONG = 0.008  # seconds that nothing else may wait for
T = TypeVar("T")
Observer = Callable[[Table, list[LogEvent]], Awaitable[None]]


class TableRegistry:
    """All tables of one process. ``clock`` gives the time in milliseconds (None: this machine's, or the database's
    if that has other processes too). ``observers`` run after the clients' messages, unless the event was an action
    and the game goes on; ``counters`` run at once with every event."""

    def __init__(
        self,
        store: Store,
        engine_pool: EnginePool,
        clock: Callable[[], int] | None = None,
        pubsub: PubSub | None = None,
        budgets: Budgets | None = None,
    ) -> None:
        self.now = Now(clock)
        self.store = store
        self.engine_pool = engine_pool
        self.pubsub = pubsub or LocalPubSub()
        self.lease = Lease(Leases(store.database), self.now)
        self.observers: list[Observer] = []
        self.counters: list[Callable[[Table, list[LogEvent]], None]] = []
        self.leaving = False  # being stopped: accepts no new clients
        self.draining = False  # and now no commands
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._loading: dict[str, asyncio.Lock] = {}
        self._budgets = budgets
        self._threads = FairThreads("table", 4, budgets, None, None)
        self._taking: asyncio.Task[None] | None = None
        self._ready: set[str] = set()  # games whose compiled rules are loaded
        self._tasks: set[asyncio.Task[Any]] = set()
        self._performing: set[asyncio.Task[Any]] = set()
        self._endless: list[asyncio.Task[Any]] = []

    async def compute(self, work: Callable[[], T], who: Spender | None = None) -> T:
        """Run ``work`` in a thread, charged to ``who`` (None: the client of the current task): a kernel's first call
        may compile it, and the loop must not wait for that."""
        return await self._threads.run(work, who)

    async def compute_short(self, game: str, work: Callable[[], T], took: float) -> T:
        """Run ``work`` that recently ``took`` so many seconds: at once if that is a few milliseconds, since a thread
        that takes turns with the loop costs it more, unless something of the game may still have to be compiled."""
        if (game not in self._ready and usual_execution(game) == "compiled") or took > LONG:
            return await self.compute(work)
        began = time.perf_counter()  # nothing is waited for, and a thread's own clock is slow to read
        try:
            return work()
        finally:
            if self._budgets is not None:
                self._budgets.spend(spender(), cpu=min(SHORT, time.perf_counter() - began))

    async def load_compiled(self, game: str) -> None:
        """Load all compiled kernels of the game's rules that tables need, in a thread (compile those that are missing),
        and use them from now on. Tables in memory keep the execution that they were read with."""
        if game not in self._ready:
            await self.compute(lambda: exercise_rules(game), SERVER)
            self._ready.add(game)
        choose_execution(game, "compiled")

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task that the registry keeps until it is done, even if the request that asked for it ends."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def spawn_until_closed(self, work: Coroutine[Any, Any, None]) -> None:
        """A task of the registry's own that goes on until the registry is closed."""
        self._endless.append(self.spawn(work))

    async def perform(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of ``work``, which runs to its end even if the caller leaves. Raise SessionError if the
        server is stopping."""
        if self.draining:
            work.close()
            raise SessionError("unavailable", "server", "The server is shutting down. Send it again in a moment.")
        task = self.spawn(work)
        self._performing.add(task)
        return await asyncio.shield(task)

    async def drain(self) -> None:
        """Take no more commands, and wait for those that are under way."""
        self.draining = True
        if self._performing:
            await asyncio.wait(self._performing, timeout=3)
        self.lease.stop_serving()
        await asyncio.sleep(0.05)  # for the acknowledgements to be on their way

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        self._performing.discard(task)
        if not task.cancelled():
            task.exception()  # the task's waiter sees it; a caller that has left need not

    def _note(self, table: Table, events: list[LogEvent]) -> None:
        """Have the observers look at what happened."""
        for counter in self.counters:
            counter(table, events)
        if table.session.is_over or any(event.kind != "action" for event in events):
            self.spawn(self._observed(table, events))

    async def _observed(self, table: Table, events: list[LogEvent]) -> None:
        for observer in self.observers:
            try:
                await observer(table, events)
            except Exception:
                LOG.exception("could not take notice of what happened at table %s", table.id)

    def known(self, table_id: str) -> Table | None:
        """The table of that id if it is in memory."""
        return self._tables.get(table_id)

    @property
    def tables(self) -> list[Table]:
        """The tables in memory."""
        return list(self._tables.values())

    async def begin(self) -> None:
        """Note from now on that the server is alive: while it is not, no clock runs."""
        await self.lease.begin()
        self.pubsub.returned.append(self._look_again)
        self.spawn_until_closed(self._beat())
        self.spawn_until_closed(self._watch())

    async def _beat(self) -> None:
        """Note that the server is alive. Nothing else is waited for here, so that it is late only where nothing goes
        on."""
        while True:
            await asyncio.sleep(BEAT)
            try:
                if await self.lease.beat():
                    self._look_again()
            except Unreachable as error:  # the next beat may succeed
                LOG.warning("the database does not answer: %s", error)
            except Exception:
                LOG.exception("could not note that the server is alive")

    async def _watch(self) -> None:
        """Check which processes are alive, which tables have no owner, and which are idle."""
        while True:
            await asyncio.sleep(BEAT)
            try:
                await self.lease.look()
                await self._follow()
                await self._drop_idle()
            except Unreachable:
                pass  # the beat says so
            except Exception:
                LOG.exception("could not look after the tables")

    def _look_again(self) -> None:
        self.spawn(self._follow(everything=True))

    async def _follow(self, everything: bool = False) -> None:
        """See whether others have written to the tables here, and whether their owners are alive."""
        known = self.tables
        others = self.lease.others
        for table in known:
            table.only_alive(others)
        if self.lease.is_alone and not everything:
            known = [table for table in known if not table.owned]
        if not known:
            return
        heads = await self.store.heads([table.id for table in known])
        for table in known:
            number, owner = heads.get(table.id, (0, None))
            if number != table.session.number:  # smaller: the database has lost what it had
                self.spawn(table.look_again())
            if not table.owned:
                table.owner = owner
        if not self.is_taking_over:
            self._taking = self.spawn(self._take_over(known))

    @property
    def is_taking_over(self) -> bool:
        """Whether tables are being taken over, many at once."""
        return self._taking is not None and not self._taking.done()

    async def _take_over(self, tables: Iterable[Table]) -> None:
        """Own those of ``tables`` whose owners are gone."""
        try:
            await take_over(self, tables)
        except Unreachable:
            pass  # the beat says so
        except Exception:
            LOG.exception("could not take over tables")

    async def _drop_idle(self) -> None:
        """Drop idle tables without clients from memory."""
        long_ago = time.monotonic() - IDLE
        idle = [table for table in self.tables if not table.clients and table.used < long_ago and table.is_idle]
        for table in idle:
            del self._tables[table.id]
            table.drop()
        owned = [table.id for table in idle if table.owned]
        if owned:
            await self.store.disown(self.lease.process_id, owned)

    async def close(self) -> None:
        """Stop engines, let what is being written be written, and leave the tables to others."""
        self.leaving = self.draining = True
        for task in self._endless:
            task.cancel()
        for table in self._tables.values():
            table.stop_thinking()
            table.put_away()
        self.engine_pool.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=3)
        with contextlib.suppress(Unreachable):
            await self.store.disown(self.lease.process_id)
        await self.lease.end()
        await self.pubsub.close()
        self._threads.close()

    async def open(self, info: TableInfo, places: Mapping[int, SeatAccess]) -> None:
        """Open a table, with settings that make sense, whose seats are opened by what ``places`` says."""
        await self.store.open_table(info, places)

    @contextlib.asynccontextmanager
    async def table(self, table_id: str) -> AsyncIterator[Table]:
        """The table of that id, kept in memory as long as it is used; SessionError where there is none."""
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
        elif not self.lease.is_alone:
            await table.look_again()
        self._tables.move_to_end(table_id)
        return table

    async def _load(self, table_id: str) -> Table:
        stored = await self.store.load(table_id)
        if stored is None:
            raise SessionError("unknown-table", "table", "Game not found.")
        game = stored.info.settings.game
        if usual_execution(game) == "compiled":
            try:
                await self.load_compiled(game)
            except Exception:
                LOG.exception("could not load the kernels of %s", game)
        session = await self.compute(lambda: Session.replay(stored.info.settings, stored.log))
        table = Table(self, replace(stored, damage=None), session, self._note)
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
