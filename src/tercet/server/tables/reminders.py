"""Whom notices tell about games: the player whose turn it is, and who has a day left on the clock. A player on vacation
gets neither.

The latter follows from the deadlines in the database, which also keeps of which deadline a player was reminded: a
process that dies before that leaves it to the next one.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

import sqlalchemy as sa

from tercet.answers.tables import seats_view
from tercet.server.errors import going_on, repeat
from tercet.server.people.notices import REREAD_SECONDS, Notice, Notices
from tercet.server.store.schema import NOTICE_DEVICES, NOTICE_SETTINGS, SEATS, TABLES, VACATIONS
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.table import Table

DAY_MS = 86_400_000
LOOK_SECONDS = 60.0  # between two searches for players who have a day left
MAX_TABLES = 200  # of a search
SLOW = ("correspondence", "none")  # games in which players get notices of their turns


class Reminders:
    """Tells :class:`Notices` about the games of one process, and of all if it is the oldest."""

    def __init__(self, registry: TableRegistry, notices: Notices) -> None:
        self.registry = registry
        self.notices = notices
        self._database = registry.store.database

    def begin(self) -> None:
        """Tell from now on."""
        self.registry.reachable = self.notices.reachable
        self.registry.turned = self._turned
        self.registry.opened = self._opened
        self.registry.spawn_until_closed(repeat("remind players", self.once, LOOK_SECONDS))
        self.registry.spawn_until_closed(repeat("read who wants notices", self.notices.read, REREAD_SECONDS))

    def _turned(self, table: Table) -> None:
        has_others = any(seat != table.session.mover for seat in table.occupants)
        if table.info.speed in SLOW and has_others:
            notice = self._notice(table, "turn")
            if notice is not None:
                self.notices.tell(notice)

    def _opened(self, table_id: str, people: Iterable[str]) -> None:
        if not self.notices.reachable.isdisjoint(people):
            self.registry.spawn(self._see(table_id))

    async def _see(self, table_id: str) -> None:
        with going_on(f"tell whose turn it is at table {table_id}"):
            async with self.registry.table(table_id) as table:
                self._turned(table)

    def _notice(self, table: Table, occasion: str) -> Notice | None:
        """Return a notice to the player whose turn it is; None if they want none, or none is to move."""
        mover, session = table.session.mover, table.session
        occupant = None if mover is None else table.occupants.get(mover)
        if mover is None or occupant is None or occupant.person_id not in self.notices.reachable:
            return None
        turn = mover, session.ply, session.retracted
        seats = zip(seats_view(session, table.occupants), session.game.players, strict=True)
        names = [str(seat["name"] or player) for seat, player in seats]
        del names[mover]

        async def is_true() -> bool:
            async with self.registry.table(table.id) as known:
                now = known.session
                is_turn = (now.mover, now.ply, now.retracted) == turn and mover not in known.presence.present
            if is_turn and await self._is_away(occupant.person_id):
                return False  # until a day is left for the turn
            return is_turn

        return Notice(occasion, occupant.person_id, f"/t/{table.id}", names, table.settings.game, is_true)

    async def _is_away(self, person_id: str | None) -> bool:
        """Return whether a person is on vacation."""
        theirs = (VACATIONS.c.person_id == person_id) & (VACATIONS.c.until > self.registry.now())
        return await self._database.first(sa.select(VACATIONS.c.until).where(theirs)) is not None

    async def once(self) -> None:
        """Remind the players who have a day left, unless an older process does."""
        if self.notices.reachable and all(self.registry.lease.process_id < one for one in self.registry.lease.others):
            now = self.registry.now()
            due = (TABLES.c.deadline > now) & (TABLES.c.deadline <= now + DAY_MS) & TABLES.c.over.is_(False)
            due &= (TABLES.c.speed == "correspondence") & TABLES.c.damage.is_(None)
            # Time that is given back after an outage moves a deadline by less than a turn does.
            due &= TABLES.c.reminded.is_(None) | (TABLES.c.deadline >= TABLES.c.reminded + DAY_MS)
            devices = sa.select(NOTICE_DEVICES.c.person_id)
            reachable = devices.union(sa.select(NOTICE_SETTINGS.c.person_id).where(NOTICE_SETTINGS.c.mail))
            due &= sa.exists().where((SEATS.c.table_id == TABLES.c.id) & SEATS.c.person_id.in_(reachable))
            query = sa.select(TABLES.c.id, TABLES.c.deadline).where(due).order_by(TABLES.c.deadline).limit(MAX_TABLES)
            for row in await self._database.rows(query):
                with going_on(f"remind the player to move at table {row.id}"):
                    await self._remind(row.id, row.deadline)

    async def _remind(self, table_id: str, deadline: int) -> None:
        done = functools.partial(self._done, table_id, deadline)
        async with self.registry.table(table_id) as table:
            clock = table.session.clock
            notice = self._notice(table, "clock")
            if table.session.deadline != deadline or clock is None:
                return
            if notice is None or clock.control.initial <= DAY_MS:  # the turn began with less than that
                await done()
            elif not self.notices.is_pending(notice):
                self.notices.tell(notice, done)

    async def _done(self, table_id: str, deadline: int) -> None:
        """Note that the player was reminded of this deadline."""
        await self._database.change(TABLES.update().where(TABLES.c.id == table_id).values(reminded=deadline))
