"""That this process is alive, told to the others through the database, and which of them are.

A process holds a *run*: a row that says it was seen a moment ago. One that could not say so for :data:`DEAD` seconds is
over, whether it crashed, was suspended or lost the database: others may act at its tables, and when it comes back it
does so as another run; the same where it finds after :data:`STALL` seconds that it stood still. So "a run was alive"
always means that somebody at its tables could play, and the rest of the time is given back to those whose clocks ran.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import secrets
import socket
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from tercet.server.store import LeaseRow, Leases, Unreachable

__all__ = ["BEAT", "DEAD", "Lease", "Now"]

LOG = logging.getLogger("tercet.server")
BEAT = 1.0  # seconds between two notes that we are alive
DEAD = 4.0  # seconds after which a run that was not seen is over
LATE = 1.6  # seconds after which it should have been seen again
STALL = 2.5  # seconds after which a process that finds that it stood still gives up its run by itself
SURE = 2.2  # seconds after our last note in which neither we nor anybody else can have given up our run
LIVING: set[str] = set()  # the processes in the sense of this module that are alive in this one


def _machine() -> str:
    """Where a process number means one process: this machine since it was started, and in it this container."""
    with contextlib.suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{Path('/proc/self/ns/pid').readlink()}"
    return socket.gethostname()[:60]


def _has_exited(process: str) -> bool:
    """Whether ``process`` is known to be over: it was on this machine, and is not."""
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
    return now / 1000 - seen > LATE or (since is not None and seen < since / 1000)


class Now:
    """The time in milliseconds, counted on from one reading, so that no game suffers when somebody sets a clock.

    ``own`` replaces it (tests). With :meth:`follow` it is the clock of the database, the same on all machines.
    """

    def __init__(self, own: Callable[[], int] | None = None) -> None:
        self.own = own
        self._ahead = time.time() - time.monotonic()
        self._samples: deque[tuple[float, float]] = deque(maxlen=30)

    def __call__(self) -> int:
        """Now."""
        return self.own() if self.own is not None else round(1000 * (self._ahead + time.monotonic()))

    def not_before(self, milliseconds: float) -> bool:
        """Go on from then, if that is later than now; whether it is."""
        late = milliseconds / 1000 - self._ahead - time.monotonic()
        if self.own is not None or late <= 0:
            return False
        self._ahead += late
        return True

    def follow(self, ahead: float, took: float) -> None:
        """Take notice that somebody's clock is ``ahead`` of ``time.monotonic``, which took so long to learn: of the
        last answers the quickest counts."""
        self._samples.append((took, ahead))
        self._ahead = min(self._samples)[1]


class Lease:
    """This process's run, and those of the others as far as known. ``now`` tells milliseconds."""

    def __init__(self, leases: Leases, now: Now) -> None:
        self.leases = leases
        self.now = now
        self.process_id = 0
        self.process = f"{_machine()} {os.getpid()} {secrets.token_hex(4)}"
        self.over: set[int] = set()  # runs of this process that are
        self.others: dict[int, float] = {}  # run: seconds at which it was last seen
        self._noted = 0.0  # when (monotonic) we last began to note that we are alive, and succeeded
        self._looked = 0.0
        self._looking: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Begin to be alive."""
        LIVING.add(self.process)
        if not self.leases.database.is_sqlite and self.now.own is None:
            for _ in range(5):
                self.now.follow(*await self.leases.ahead())
        if self.leases.database.is_sqlite:
            seen = await self.leases.last_seen()
            if seen is not None and self.now.not_before(1000 * seen):
                LOG.warning("this machine's clock was set back: games go on from the time they know")
        await self._begin()
        await self.look()

    async def _begin(self) -> None:
        began = time.monotonic()
        self.process_id = await self.leases.begin(self.now() / 1000, self.process)
        self._noted = began  # not before the old run is given up

    async def reachable(self) -> None:
        """Note that clients can reach this process from now on: what it took to start was nobody's time either."""
        await self.leases.reachable(self.process_id, self.now() / 1000)

    async def beat(self) -> bool:
        """Note that we are alive; whether it had to be as a new run, since the one before was over."""
        began = time.monotonic()
        if began - self._noted > STALL:
            LOG.warning("nobody could see this server for %.1f s; clocks stood still", began - self._noted)
            self.over.add(self.process_id)
            await self._begin()
            return True
        await self.leases.seen(self.process_id, self.now() / 1000)
        if time.monotonic() - self._noted > STALL:  # others may have found us dead before this was written
            return await self.beat()
        self._noted = began
        if not self.leases.database.is_sqlite and self.now.own is None:
            self.now.follow(*await self.leases.ahead())
        return False

    async def look(self) -> None:
        """See who else is alive."""
        found = await self.leases.since(self.now() / 1000 - DEAD)
        self._looked = time.monotonic()
        self.others = {run.id: run.seen for run in found if run.id != self.process_id and not self._is_over(run)}

    def _is_over(self, run: LeaseRow) -> bool:
        return run.id in self.over or run.seen < self.now() / 1000 - DEAD or _has_exited(run.process)

    @property
    def is_sure(self) -> bool:
        """Whether we can judge flags: neither we nor anybody else can have given up our run."""
        return time.monotonic() - self._noted < SURE

    @property
    def is_alone(self) -> bool:
        """Whether no other process serves, as far as we know."""
        return not self.others

    async def is_dead(self, run: int) -> bool:
        """Whether that run is over."""
        return run != self.process_id and not await self._seen(run)

    async def is_late(self, run: int, since: int | None = None) -> bool:
        """Whether that run should have been seen again by now, so that it may be over; with ``since`` (milliseconds)
        whether it has not been seen after that moment."""
        seen = await self._seen(run, since)
        return seen is None or _is_old(seen, self.now(), since)

    async def _seen(self, run: int, since: int | None = None) -> float | None:
        seen = self.others.get(run)
        if (seen is None or _is_old(seen, self.now(), since)) and time.monotonic() - self._looked > 0.1:
            if self._looking is None or self._looking.done():
                self._looking = asyncio.ensure_future(self.look())
            await asyncio.shield(self._looking)  # one look for all the tables that ask
            seen = self.others.get(run)
        return seen

    async def last_seen(self, run: int) -> float:
        """The second at which that run, which is over, was last seen."""
        found = await self.leases.find(run)
        return 0.0 if found is None else found.seen

    async def end(self) -> None:
        """Be alive no more."""
        LIVING.discard(self.process)
        with contextlib.suppress(Unreachable):
            await self.leases.seen(self.process_id, self.now() / 1000)
