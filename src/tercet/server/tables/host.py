"""What a table needs of the process that has it in memory, and the changes that it is asked for."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tercet.core.execution import choose_execution, usual_execution
from tercet.engines.preparing import exercise_rules
from tercet.play.session import Session, SessionError, Step
from tercet.server.engines.pool import EnginePool
from tercet.server.limits.budgets import SERVER, Budgets, Spender, spender
from tercet.server.limits.queue import FairThreads
from tercet.server.store.lease import Lease, Leases, Now, time_down
from tercet.server.store.pubsub import PubSub
from tercet.server.store.tables import AlsoWrite, SeatAccess, Store

MAX_CHARGED_SECONDS = 0.2  # for work done at once: in the rest of the time others had the processor
LONG_SECONDS = 0.008  # that nothing else may wait for
T = TypeVar("T")


@dataclass(eq=False, repr=False)
class TableHost:
    """The process as its tables see it. ``now`` tells the time in milliseconds. A server that stops is first
    ``leaving`` (it accepts no new clients), then ``draining`` (it takes no more commands)."""

    store: Store
    engine_pool: EnginePool
    clock: Callable[[], int] | None = None
    pubsub: PubSub = field(default_factory=PubSub)
    budgets: Budgets | None = None
    leaving: bool = field(init=False, default=False)
    draining: bool = field(init=False, default=False)
    _ready: set[str] = field(init=False, default_factory=set)  # games whose compiled rules are loaded
    _tasks: set[asyncio.Task[Any]] = field(init=False, default_factory=set)
    _running_to_end: set[asyncio.Task[Any]] = field(init=False, default_factory=set)
    _endless: list[asyncio.Task[Any]] = field(init=False, default_factory=list)
    _taking: asyncio.Task[None] | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.now = Now(self.clock)
        self.lease = Lease(Leases(self.store.database), self.now)
        self._threads = FairThreads("table", 4, self.budgets, None, None)

    @property
    def is_taking_over(self) -> bool:
        """Return whether tables are being taken over, many at once."""
        return self._taking is not None and not self._taking.done()

    async def compute(self, work: Callable[[], T], who: Spender | None = None) -> T:
        """Return the result of ``work``, done in a thread and charged to ``who`` (None: the client of the current
        task). The event loop must not wait for it: a kernel's first call may compile it."""
        return await self._threads.run(work, who)

    async def compute_short(self, game: str, work: Callable[[], T], took: float) -> T:
        """Return the result of ``work``, which recently ``took`` so many seconds. A few milliseconds are spent at once,
        since a thread beside the loop costs more, unless kernels of the game may have to be compiled."""
        if (game not in self._ready and usual_execution(game) == "compiled") or took > LONG_SECONDS:
            return await self.compute(work)
        began = time.perf_counter()  # nothing is waited for, and a thread's own clock is slow to read
        try:
            return work()
        finally:
            if self.budgets is not None:
                self.budgets.spend(spender(), cpu=min(MAX_CHARGED_SECONDS, time.perf_counter() - began))

    async def load_compiled(self, game: str) -> None:
        """Load the compiled kernels of a game that tables need, in a thread, and use them from now on. Compile those
        that are missing. Tables in memory go on with the execution that they were read with."""
        if game not in self._ready:
            await self.compute(lambda: exercise_rules(game), SERVER)
            self._ready.add(game)
        choose_execution(game, "compiled")

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task. It runs until it is done, even if its client leaves."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def spawn_until_closed(self, work: Coroutine[Any, Any, None]) -> None:
        """Start a task that runs until the process ends."""
        self._endless.append(self.spawn(work))

    async def run_to_end(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of ``work``, which runs to its end even if the caller is cancelled. Raise SessionError if
        the server is stopping."""
        if self.draining:
            work.close()
            raise SessionError("unavailable", "server", "The server is shutting down. Send it again in a moment.")
        task = self.spawn(work)
        self._running_to_end.add(task)
        return await asyncio.shield(task)

    async def drain(self) -> None:
        """Refuse new commands and stop all clocks, then wait for the commands in progress."""
        self.draining = True
        self.lease.stop_serving()
        if self._running_to_end:
            await asyncio.wait(self._running_to_end, timeout=3)
        await asyncio.sleep(0.05)  # for the acknowledgements to be on their way

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        self._running_to_end.discard(task)
        if not task.cancelled():
            task.exception()  # the task's waiter sees it; a caller that has left need not


TimeLost = Callable[[Session, int], int]  # of a session, until then: both in milliseconds


async def time_lost(lease: Lease, before: int | None, sessions: Iterable[Session]) -> TimeLost:
    """Return the function that tells for how long no process served a table, whose session is one of ``sessions`` or a
    later one. The process ``before`` owned it last (None: no process owned it)."""
    clocks = [session.clock.at for session in sessions if session.clock is not None]
    served = await lease.leases.since(min(clocks) / 1000) if clocks else []
    of_another = before is not None and before != lease.process_id and before not in lease.over
    seen = await lease.last_seen(before) if before is not None and of_another else None

    def lost(session: Session, now: int) -> int:
        clock = session.clock
        if clock is None or clock.running is None or session.is_over:
            return 0
        if session.seats[clock.running].kind == "engine":  # it thinks only while the table is in memory
            return now - clock.at
        longest = round(1000 * time_down(served, clock.at / 1000, now / 1000))
        if before is not None:
            longest = max(longest, round(1000 * lease.time_away(before, clock.at / 1000, now / 1000)))
        if seen is not None:  # until we came, the game could not be played
            longest = max(longest, now - max(clock.at, round(1000 * seen)))
        return longest

    return lost


@dataclass(frozen=True)
class Change:
    """A change that a table is asked for. ``decide`` gets the session, and when the change was asked for
    (milliseconds); it returns the events, or raises SessionError. ``client_ids`` are the sender's ids for the change,
    which happens once under any of them; the first is stored. ``seats`` get new keys with it, and ``also`` writes more
    in the same transaction. ``short``: it plays an action or a few. ``as_owner``: it is written only if this process
    owns the table."""

    decide: Callable[[Session, int], list[Step]]
    client_ids: tuple[str, ...] = ()
    seats: Mapping[int, SeatAccess] | None = None
    also: AlsoWrite | None = None
    short: bool = False
    as_owner: bool = False

    @classmethod
    def once(cls, decide: Callable[[Session, int], list[Step]], request_id: str | None = None, **more: Any) -> Change:
        """Return a change that happens once, even if it is written and its answer is lost. The same ``request_id``
        always names the same change (None: this one alone); ``more`` are other fields."""
        return cls(decide, (request_id or secrets.token_hex(8),), **more)
