"""Leases: this process tells the others through the database that it is alive, and reads which of them are.

A process has a *process id*: that of a row with the time of its last heartbeat. A process without one for
:data:`DEAD_SECONDS` is over, because it crashed, was suspended or lost the database. Others may then act at its tables,
and if it comes back, it gets another id, as it does if it stood still for :data:`STALL_SECONDS`. Its rows cover all the
time in which it was there, even if busy. The time in which it was suspended or had no database is given back to the
players whose clocks ran.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import logging
import os
import secrets
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from tercet.server.errors import Unreachable
from tercet.server.store.database import Database, Now
from tercet.server.store.schema import KEY_VALUES, RUNS

CLOCK = "clock-offset"
# Read in one statement, so that time and offset belong together.
_SHARED = sa.select(
    sa.literal_column("extract(epoch FROM clock_timestamp())").label("clock"),
    sa.select(KEY_VALUES.c.value).where(KEY_VALUES.c.name == CLOCK).scalar_subquery().label("offset"),
    sa.select(sa.func.max(RUNS.c.seen)).where(RUNS.c.id != sa.bindparam("me")).scalar_subquery().label("others"),
)
_SEEN = RUNS.update().where(RUNS.c.id == sa.bindparam("me")).values(seen=sa.bindparam("now"))
_SINCE = sa.select(RUNS).where(RUNS.c.seen >= sa.bindparam("since"))


@dataclass(frozen=True)
class SharedTime:
    """A reading of the time that all processes share. It is ``ahead`` seconds later than ``time.monotonic`` here, and
    ``offset`` seconds later than the database's clock. To read it ``took`` so many seconds. ``others`` is when another
    process was last seen (None: there was none)."""

    ahead: float
    took: float
    offset: float
    others: float | None


@dataclass(frozen=True)
class LeaseRow:
    """A process that serves or has served: alive from ``began`` until ``seen`` (seconds)."""

    id: int
    began: float
    seen: float
    process: str


def time_down(served: Iterable[LeaseRow], since: float, until: float) -> float:
    """Return in how many of the seconds from ``since`` to ``until`` none of these processes ``served``."""
    up_to, down = since, 0.0
    for row in sorted((row for row in served if row.seen >= since), key=lambda row: row.began):
        down += max(0.0, min(row.began, until) - up_to)
        up_to = max(up_to, row.began, row.seen)  # one that is reachable late began after it was seen last
    return down


class Leases:
    """The leases of all processes on a database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def begin(self, now: float, process: str = "") -> int:
        """Write that a process began to serve at ``now`` (seconds). Return its id."""
        made = RUNS.insert().values(began=now, seen=now, process=process).returning(RUNS.c.id)
        return await self.database.write_alone(lambda connection: connection.execute(made).scalar_one())

    async def go_on(self, process_id: int, seen: float, then: Sequence[tuple[float, float]], process: str) -> int:
        """Write that ``process_id`` served until ``seen``, and that the same process served under new ids in each
        period of ``then`` (begin and end, in seconds). Return the last of these ids."""
        rows = [{"began": began, "seen": until, "process": process} for began, until in then]

        def write(connection: sa.Connection) -> int:
            connection.execute(RUNS.update().where(RUNS.c.id == process_id).values(seen=seen))
            made = RUNS.insert().returning(RUNS.c.id)
            return int([connection.execute(made.values(**row)).scalar_one() for row in rows][-1])

        return await self.database.write_alone(write)

    async def reachable(self, process_id: int, now: float) -> None:
        """Write that ``process_id`` serves from ``now`` on (seconds), and did not before."""
        await self.database.change(RUNS.update().where(RUNS.c.id == process_id).values(began=now, seen=now))

    async def seen(self, process_id: int, now: float) -> None:
        """Write that ``process_id`` is alive at ``now`` (seconds)."""
        given = {"me": process_id, "now": now}
        await self.database.write_together("runs", lambda connection: connection.execute(_SEEN, given))

    async def since(self, seen: float) -> list[LeaseRow]:
        """Return the processes that were alive at ``seen`` or later (seconds)."""
        return [LeaseRow(*row) for row in await self.database.rows(_SINCE, {"since": seen})]

    async def last_seen(self, process_id: int | None = None) -> float | None:
        """Return when this process (None: any) was last alive (seconds); None if there was none."""
        query = sa.select(sa.func.max(RUNS.c.seen))
        if process_id is not None:
            query = query.where(RUNS.c.id == process_id)
        seen: float | None = await self.database.scalar(query)
        return seen

    async def shared_time(self, process_id: int) -> SharedTime:
        """Read the time that all processes share: the database's clock with the offset that :meth:`correct` wrote."""

        def find(connection: sa.Connection) -> tuple[float, Any, float]:
            return time.monotonic(), connection.execute(_SHARED, {"me": process_id}).one(), time.monotonic()

        before, row, after = await self.database.find(find)
        offset = float(row.offset or 0)
        ahead = float(row.clock) + offset - (before + after) / 2
        return SharedTime(ahead, after - before, offset, row.others)

    async def correct(self, before: float, offset: float) -> bool:
        """Write the ``offset`` of the shared time from the database's clock (seconds), if it was ``before``. Return
        whether it was."""
        name = KEY_VALUES.c.name == CLOCK

        def write(connection: sa.Connection) -> bool:
            value = connection.scalar(sa.select(KEY_VALUES.c.value).where(name).with_for_update())
            if float(value or 0) != before:
                return False
            change = KEY_VALUES.insert() if value is None else KEY_VALUES.update().where(name)
            connection.execute(change.values(name=CLOCK, value=repr(offset)))
            return True

        try:
            return await self.database.write_alone(write)
        except IntegrityError:  # another process was faster
            return False


SAMPLE_SECONDS = 0.5  # between two notes of the processor time
LEAST_SECONDS = 1.0  # for which the event loop stands still, and the process is idle, before it counts
IDLE_SHARE = 0.1  # of a piece of time: a process that computed for longer was busy
KEPT_SAMPLES = 7200  # an hour
KEPT_ABSENCES = 100

Interval = tuple[float, float]


def _slept() -> float:
    """Return for how many seconds this machine has slept since it started; 0 where the system does not say."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return 0.0 if boot is None else time.clock_gettime(boot) - time.clock_gettime(time.CLOCK_MONOTONIC)


class Absences:
    """The times in which this process stood still, in seconds of ``now``. The loop calls :meth:`measure` regularly."""

    def __init__(
        self, now: Callable[[], float] = time.monotonic, processor: Callable[[], float] = time.process_time
    ) -> None:
        self._now = now
        self._processor = processor
        self._samples: deque[Interval] = deque(maxlen=KEPT_SAMPLES)  # when, and the processor time used by then
        self._found: deque[Interval] = deque(maxlen=KEPT_ABSENCES)
        self._measured = now()
        self._slept = _slept()
        self._stop = threading.Event()
        self._timer: asyncio.TimerHandle | None = None
        self.sample()

    def start(self) -> None:
        """Begin to watch, on the running event loop and in a thread."""

        def watch() -> None:
            while not self._stop.wait(SAMPLE_SECONDS):
                self.sample()

        threading.Thread(target=watch, name="tercet-absence", daemon=True).start()
        self._tick(asyncio.get_running_loop())

    def stop(self) -> None:
        """Stop watching."""
        self._stop.set()
        if self._timer is not None:
            self._timer.cancel()

    def _tick(self, loop: asyncio.AbstractEventLoop) -> None:
        self.measure()
        self._timer = loop.call_later(SAMPLE_SECONDS, self._tick, loop)

    def sample(self) -> None:
        """Note the processor time used so far."""
        self._samples.append((self._now(), self._processor()))

    def measure(self) -> None:
        """Note that the event loop runs, and since when it did not."""
        self.sample()
        since, self._measured = self._measured, self._now()
        if self._measured - since <= LEAST_SECONDS:
            return
        idle: list[Interval] = []
        for (start, used), (end, used_then) in itertools.pairwise(list(self._samples)):
            if end > since and used_then - used < IDLE_SHARE * (end - start):
                begun = idle.pop()[0] if idle and idle[-1][1] == start else max(start, since)
                idle.append((begun, end))
        # On a crowded machine a busy process, too, is left without a processor for a moment.
        self._found.extend((start, end) for start, end in idle if end - start > LEAST_SECONDS)

    def between(self, since: float, until: float) -> list[Interval]:
        """Return the absences from ``since`` to ``until``, in order."""
        self.measure()
        clipped = [(max(start, since), min(end, until)) for start, end in self._found]
        return [(start, end) for start, end in clipped if end > start]

    def has_slept(self) -> bool:
        """Return whether the machine has slept since the last call."""
        before, self._slept = self._slept, _slept()
        return self._slept - before > LEAST_SECONDS


LOG = logging.getLogger("tercet.server")
BEAT_SECONDS = 1.0  # between two heartbeats of this process
DEAD_SECONDS = 4.0  # without a heartbeat after which a process is over
LATE_SECONDS = 1.6  # after which a heartbeat is overdue

STALL_SECONDS = 2.5  # that a process stood still, after which it gives up its own id
SURE_SECONDS = 2.2  # after our last heartbeat, in which our id cannot be over
JUMP_SECONDS = 1.0  # between two beats, by which a clock never drifts
LIVING: set[str] = set()  # leases of this process


@functools.cache
def _machine() -> str:
    """Return a name for this machine since it started, and this container: there process numbers are unique."""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"
    return socket.gethostname()[:60]


def _has_exited(process: str) -> bool:
    """Return whether ``process`` ran on this machine and no longer does."""
    machine, _, rest = process.rpartition(" ")[0].rpartition(" ")
    if not rest.isdigit() or machine != _machine() or os.name != "posix":
        return False
    if int(rest) == os.getpid():
        return process not in LIVING
    try:
        os.kill(int(rest), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _is_old(seen: float, now: int, since: int | None) -> bool:
    return now / 1000 - seen > LATE_SECONDS or (since is not None and seen < since / 1000)


class Lease:
    """The lease of this process, and what it knows of the others'. ``now`` tells the time in milliseconds."""

    def __init__(self, leases: Leases, now: Now) -> None:
        self.leases = leases
        self.now = now
        self.process_id = 0
        self.process = f"{_machine()} {os.getpid()} {secrets.token_hex(4)}"
        self.over: set[int] = set()  # ids of this process that are
        self.others: dict[int, float] = {}  # by process id: seconds at which it was last seen
        self._absences = Absences()
        self._away: deque[Interval] = deque(maxlen=KEPT_ABSENCES)  # in seconds of ``now``
        self._unanswered: float | None = None  # since when (monotonic) the database has not answered
        self._noted = 0.0  # when (monotonic) we last began to note that we are alive, and succeeded
        self._read_at = 0.0
        self._reading: asyncio.Task[None] | None = None
        self._served_until: float | None = None
        self._was_late = False  # then: no heartbeat had said yet for how long we were away

    async def begin(self) -> None:
        """Begin this process's lease."""
        LIVING.add(self.process)
        self._absences.start()
        if not self.leases.database.is_sqlite and self.now.own is None:
            await self._begin_shared_time()
        if self.leases.database.is_sqlite:
            seen = await self.leases.last_seen()
            if seen is not None and self.now.not_before(1000 * seen):
                LOG.warning("this machine's clock was set back: games go on from the time they know")
        self._noted = time.monotonic()
        self.process_id = await self.leases.begin(self.now() / 1000, self.process)
        await self.read_others()

    async def reachable(self) -> None:
        """Write that clients can reach this process from now on: no clock ran while it started."""
        await self.leases.reachable(self.process_id, self.now() / 1000)

    async def beat(self) -> bool:
        """Write that this process is alive. Return whether it got a new id because the old one was over."""
        if self._served_until is not None:  # from then on we refuse commands, however long it takes to end
            return False
        began, used = time.monotonic(), time.process_time()
        slept = not self.leases.database.is_sqlite and self._absences.has_slept()
        try:
            if slept or began - self._noted > STALL_SECONDS:
                return await self._begin_again(began, slept)
            await self._follow()
            await self.leases.seen(self.process_id, self.now() / 1000)
            answered = time.monotonic()
            if answered - self._noted > STALL_SECONDS:  # others may have found us dead before this was written
                if time.process_time() - used < IDLE_SHARE * (answered - began):  # we waited for the database
                    self._unanswered = self._unanswered or began
                return await self._begin_again(answered, False)
        except Unreachable:
            self._unanswered = self._unanswered or began
            raise
        self._noted, self._unanswered = began, None
        return False

    async def _begin_again(self, began: float, slept: bool) -> bool:
        """Go on under a new id. The rows of both cover all the time in which this process was there."""
        if slept:  # by the database's clock it was longer than by ours
            before = self.now() / 1000
            self.now.forget()
            await self._follow(slept)
            away = [(before, self.now() / 1000)]
        else:
            ago = self.now() / 1000 - time.monotonic()
            absences = self._absences.between(self._noted, began)
            if self._unanswered is not None:
                first = self._unanswered
                absences = [(start, min(end, first)) for start, end in absences if start < first] + [(first, began)]
            away = [(start + ago, end + ago) for start, end in absences]
        there = [start for start, _ in away] + [self.now() / 1000]
        then = list(zip([end for _, end in away] or there, there[1:] or there, strict=True))
        self.over.add(self.process_id)
        self.process_id = await self.leases.go_on(self.process_id, there[0], then, self.process)
        says = "this server was late by %.1f s and away for %.1f s of them, in which clocks stood still"
        LOG.warning(says, began - self._noted, sum(end - start for start, end in away))
        self._away.extend(away)
        self._noted, self._unanswered = began, None
        return True

    def time_away(self, process_id: int, since: float, until: float) -> float:
        """Return for how many of the seconds from ``since`` to ``until`` this process was away; 0 if ``process_id``
        was not one of its ids."""
        if process_id not in self.over:
            return 0.0
        return sum(max(0.0, min(end, until) - max(start, since)) for start, end in self._away)

    async def _begin_shared_time(self) -> None:
        """Begin to follow the time that the processes share. If none is alive, that is the database's clock; if that
        clock was set back, time goes on from when a process was last seen."""
        read = await self.leases.shared_time(self.process_id)
        time_now = read.ahead + time.monotonic()
        if read.others is not None and read.others > time_now + JUMP_SECONDS:
            last = read.others + read.took  # the reading is uncertain by half of what it took
            if await self.leases.correct(read.offset, read.offset + last - time_now):
                LOG.warning("the database's clock was set back: games go on from the time they know")
        elif read.offset and (read.others is None or read.others < time_now - DEAD_SECONDS):
            await self.leases.correct(read.offset, max(0.0, (read.others or 0.0) - time_now + read.offset))
        for _ in range(5):
            read = await self.leases.shared_time(self.process_id)
            self.now.follow(read.ahead, read.took)

    async def _follow(self, slept: bool = False) -> None:
        """Follow the time that all processes share, if they share a database server. If the database's clock has
        jumped, correct it for all of them: no lease and no flag is judged by such a clock. If that clock agrees with
        another process's last heartbeat, or this machine ``slept``, the clock here stood still instead."""
        if self.leases.database.is_sqlite or self.now.own is not None:
            return
        read = await self.leases.shared_time(self.process_id)
        jump = self.now.jump(read.ahead)
        if not slept and abs(jump) > JUMP_SECONDS + read.took:
            time_now = read.ahead + time.monotonic()
            if read.others is None or abs(time_now - read.others) > DEAD_SECONDS:
                if await self.leases.correct(read.offset, read.offset - jump):
                    LOG.warning("the database's clock jumped by %.1f s: games go on from the time they know", jump)
                return
            self.now.forget()
        self.now.follow(read.ahead, read.took)

    async def read_others(self) -> None:
        """Read which other processes are alive."""
        rows = await self.leases.since(self.now() / 1000 - DEAD_SECONDS)
        self._read_at, dead = time.monotonic(), self.now() / 1000 - DEAD_SECONDS
        alive = [row for row in rows if row.id not in self.over and row.seen >= dead and not _has_exited(row.process)]
        self.others = {row.id: row.seen for row in alive if row.id != self.process_id}

    @property
    def is_sure(self) -> bool:
        """Return whether this process can judge flags: it serves, and its own id cannot be over."""
        serving = self._served_until is None and self._unanswered is None
        return serving and time.monotonic() - self._noted < SURE_SECONDS

    @property
    def is_alone(self) -> bool:
        """Return whether no other process is known to serve."""
        return not self.others

    @property
    def is_cut_off(self) -> bool:
        """Return whether others serve and hold this process for dead, because it cannot reach the database."""
        return not self.is_alone and time.monotonic() - self._noted > DEAD_SECONDS

    async def is_dead(self, process_id: int) -> bool:
        """Return whether that process is over."""
        return process_id != self.process_id and not await self._seen(process_id)

    async def is_late(self, process_id: int, since: int | None = None) -> bool:
        """Return whether the process may be over: its heartbeat is late, or none came after ``since``
        (milliseconds)."""
        seen = await self._seen(process_id, since)
        return seen is None or _is_old(seen, self.now(), since)

    async def _seen(self, process_id: int, since: int | None = None) -> float | None:
        seen = self.others.get(process_id)
        if (seen is None or _is_old(seen, self.now(), since)) and time.monotonic() - self._read_at > 0.1:
            if self._reading is None or self._reading.done():
                self._reading = asyncio.ensure_future(self.read_others())
            await asyncio.shield(self._reading)  # once for all the tables that ask
            seen = self.others.get(process_id)
        return seen

    async def last_seen(self, process_id: int) -> float:
        """Return when that process, which is over, was last alive (seconds)."""
        return await self.leases.last_seen(process_id) or 0.0

    def stop_serving(self) -> None:
        """Note that this process refuses commands from now on: clocks stand still, however long it takes to end."""
        self._served_until = self.now() / 1000
        self._was_late = time.monotonic() - self._noted > STALL_SECONDS

    async def end(self) -> None:
        """End this process's lease."""
        self._absences.stop()
        LIVING.discard(self.process)
        with contextlib.suppress(Unreachable):
            if self._was_late:
                await self._begin_again(time.monotonic(), False)
            await self.leases.seen(self.process_id, self._served_until or self.now() / 1000)
