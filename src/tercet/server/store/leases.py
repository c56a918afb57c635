"""The processes that serve, and the time in which none did."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from tercet.server.store.database import Database
from tercet.server.store.schema import KEY_VALUES, RUNS

CLOCK = "clock-offset"
# Read in one statement, so that time and offset belong together.
_SHARED = sa.select(
    sa.literal_column("extract(epoch FROM clock_timestamp())").label("clock"),
    sa.select(KEY_VALUES.c.value).where(KEY_VALUES.c.name == CLOCK).scalar_subquery().label("offset"),
    sa.select(sa.func.max(RUNS.c.seen)).where(RUNS.c.id != sa.bindparam("me")).scalar_subquery().label("others"),
)
_SINCE = sa.select(RUNS).where(RUNS.c.seen >= sa.bindparam("since"))


@dataclass(frozen=True)
class SharedTime:
    """The time that all processes share: how many seconds it is ``ahead`` of ``time.monotonic`` here, and how long it
    ``took`` to ask. It is ``offset`` seconds ahead of the database's clock; another process was last seen at ``others``
    (None: there was none)."""

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
    """Return how many of the seconds from ``since`` to ``until`` none of the ``served`` processes was there."""
    up_to, down = since, 0.0
    for row in sorted((row for row in served if row.seen >= since), key=lambda row: row.began):
        down += max(0.0, min(row.began, until) - up_to)
        up_to = max(up_to, row.seen)
    return down


class Leases:
    """The processes that share a database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def begin(self, now: float, process: str = "") -> int:
        """Note that a process began to serve at ``now`` (seconds); return its id."""
        made = RUNS.insert().values(began=now, seen=now, process=process).returning(RUNS.c.id)
        return await self.database.write_alone(lambda connection: connection.execute(made).scalar_one())

    async def go_on(self, process_id: int, seen: float, then: Sequence[tuple[float, float]], process: str) -> int:
        """Note that ``process_id`` was there until ``seen``, and the same process from the beginning to the end of
        each of ``then`` (seconds), under other ids; return the last."""
        rows = [{"began": began, "seen": until, "process": process} for began, until in then]

        def write(connection: sa.Connection) -> int:
            connection.execute(RUNS.update().where(RUNS.c.id == process_id).values(seen=seen))
            made = RUNS.insert().returning(RUNS.c.id)
            return int([connection.execute(made.values(**row)).scalar_one() for row in rows][-1])

        return await self.database.write_alone(write)

    async def reachable(self, process_id: int, now: float) -> None:
        """Note that ``process_id`` can be reached since ``now`` (seconds), not before."""
        await self.database.change(RUNS.update().where(RUNS.c.id == process_id).values(began=now, seen=now))

    async def seen(self, process_id: int, now: float) -> None:
        """Note that ``process_id`` is alive at ``now`` (seconds)."""
        await self.database.change(RUNS.update().where(RUNS.c.id == process_id).values(seen=now), order="runs")

    async def since(self, seen: float) -> list[LeaseRow]:
        """Those seen at ``seen`` or later."""
        return [LeaseRow(*row) for row in await self.database.rows(_SINCE, {"since": seen})]

    async def find(self, process_id: int) -> LeaseRow | None:
        """Return the process of that id."""
        rows = await self.database.rows(sa.select(RUNS).where(RUNS.c.id == process_id))
        return LeaseRow(*rows[0]) if rows else None

    async def last_seen(self) -> float | None:
        """Return the second at which any process was seen last; None where there was none."""
        found: float | None = await self.database.scalar(sa.select(sa.func.max(RUNS.c.seen)))
        return found

    async def shared_time(self, process_id: int) -> SharedTime:
        """Read the time that all processes share: that of the database's clock, as :meth:`correct` has set it."""

        def find(connection: sa.Connection) -> tuple[float, Any, float]:
            return time.monotonic(), connection.execute(_SHARED, {"me": process_id}).one(), time.monotonic()

        asked, found, answered = await self.database.find(find)
        offset = float(found.offset or 0)
        ahead = float(found.clock) + offset - (asked + answered) / 2
        return SharedTime(ahead, answered - asked, offset, found.others)

    async def correct(self, before: float, offset: float) -> bool:
        """Have the shared time be so many seconds ahead of the database's clock, if it was ``before``; return whether
        it was."""
        name = KEY_VALUES.c.name == CLOCK

        def write(connection: sa.Connection) -> bool:
            found = connection.scalar(sa.select(KEY_VALUES.c.value).where(name).with_for_update())
            if float(found or 0) != before:
                return False
            change = {"value": repr(offset)}
            if found is None:
                connection.execute(KEY_VALUES.insert().values(name=CLOCK, **change))
            else:
                connection.execute(KEY_VALUES.update().where(name).values(**change))
            return True

        try:
            return await self.database.write_alone(write)
        except IntegrityError:  # another process was faster
            return False
