"""Vacations: some days a year in which a person's clocks in correspondence games stand still.

The database has how long each vacation lasts. Each table gets an event of it, so that its log alone says what the
clocks show; a process that dies before that leaves it to the next look.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from tercet.play.session import LogEvent, Session, Step
from tercet.server.errors import ApiError, going_on, repeat
from tercet.server.store.schema import SEATS, TABLES, VACATIONS
from tercet.server.store.tables import Outdated
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.state import Change

DAY_MS = 86_400_000
ALLOWANCE = 30  # days of vacation a year (UTC), counted in the year in which a vacation begins
LOOK_SECONDS = 60.0  # between two looks at the games of people on vacation


@dataclass(frozen=True)
class Vacation:
    """Until when a person is, or was last, on vacation (milliseconds; 0: never), and how many days are left this
    year."""

    until: int
    left: int


class Vacations:
    """Writes vacations, and tells tables of them."""

    def __init__(self, registry: TableRegistry) -> None:
        self.registry = registry
        self._database = registry.store.database
        self._told: set[tuple[str, int, int]] = set()  # tables, seats and until when

    def begin(self) -> None:
        """Look at the games of people on vacation from now on: what begins meanwhile is part of it."""
        self.registry.spawn_until_closed(repeat("stop the clocks of people on vacation", self._look, LOOK_SECONDS))

    async def of(self, person_id: str) -> Vacation:
        """Return a person's vacation."""
        return await self._database.find(lambda connection: _read(connection, person_id, self.registry.now()))

    async def take(self, person_id: str, days: int) -> Vacation:
        """Begin a vacation of so many ``days``, or end it (0), which gives whole days back. Raise ApiError if the
        person is on vacation, or does not have so many days left."""
        now = self.registry.now()

        def write(connection: sa.Connection) -> Vacation:
            before = _read(connection, person_id, now)
            rest = max(0, before.until - now)
            if days and rest:
                raise ApiError("not-possible", "days", "You are on vacation already. End it first.")
            if days > before.left:
                raise ApiError("not-possible", "days", f"You have {before.left} days of vacation left this year.")
            after = Vacation(now + days * DAY_MS, min(ALLOWANCE, before.left - days + rest // DAY_MS))
            if days or rest:
                connection.execute(sa.delete(VACATIONS).where(VACATIONS.c.person_id == person_id))
                row = {"person_id": person_id, "until": after.until, "year": _year(now), "used": ALLOWANCE - after.left}
                connection.execute(VACATIONS.insert().values(**row))
                return after
            return before

        taken = await self._database.write_together(person_id, write)
        self.registry.spawn(self.tell(VACATIONS.c.person_id == person_id))
        return taken

    async def _look(self) -> None:
        if all(self.registry.lease.process_id < one for one in self.registry.lease.others):
            self._told &= await self.tell(sa.true())

    async def tell(self, whose: sa.ColumnElement[bool]) -> set[tuple[str, int, int]]:
        """Tell the tables of people on vacation, or who ended one a day ago or less, as far as this process has not.
        Return these tables, each with the seat and until when."""
        here = (SEATS.c.person_id == VACATIONS.c.person_id) & (SEATS.c.table_id == TABLES.c.id)
        lately = (VACATIONS.c.until > self.registry.now() - DAY_MS) & TABLES.c.damage.is_(None)
        running = (TABLES.c.speed == "correspondence") & TABLES.c.over.is_(False) & (TABLES.c.waiting == 0)
        columns = (SEATS.c.table_id, SEATS.c.seat, VACATIONS.c.until, VACATIONS.c.person_id)
        rows = await self._database.rows(sa.select(*columns).where(here & lately & running & whose))
        for table_id, seat, until, person_id in rows:
            if (table_id, seat, until) not in self._told:
                with going_on(f"stop a clock of table {table_id}"), contextlib.suppress(Outdated):
                    await self._tell(table_id, seat, until, person_id)
                    self._told.add((table_id, seat, until))
        return {(table_id, seat, until) for table_id, seat, until, _ in rows}

    async def _tell(self, table_id: str, seat: int, until: int, person_id: str) -> None:
        async with self.registry.table(table_id) as table:

            def decide(session: Session, now: int) -> list[Step]:
                there = table.occupants.get(seat)  # by now it may be another person
                return session.vacation(seat, until, now) if there is not None and there.person_id == person_id else []

            def still(connection: sa.Connection, _events: Sequence[LogEvent]) -> None:
                theirs = sa.select(VACATIONS.c.until).where(VACATIONS.c.person_id == person_id)
                if connection.scalar(theirs.with_for_update()) != until:
                    raise Outdated  # who has changed it tells the table

            await table.submit(Change.once(decide, also=still))


def _year(now: int) -> int:
    return time.gmtime(now // 1000).tm_year


def _read(connection: sa.Connection, person_id: str, now: int) -> Vacation:
    row = connection.execute(sa.select(VACATIONS).where(VACATIONS.c.person_id == person_id)).first()
    if row is None:
        return Vacation(0, ALLOWANCE)
    return Vacation(row.until, ALLOWANCE - (row.used if row.year == _year(now) else 0))
