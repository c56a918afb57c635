"""Tables and the log of events, which is the truth. What :meth:`Store.append` has returned from survives a killed
process and a power cut (SQLite with a write-ahead log and ``synchronous=FULL``; PostgreSQL as it comes)."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from tercet.play import LogEvent, Setup
from tercet.server.store.database import Database
from tercet.server.store.schema import EVENTS, PEOPLE, RUNS, SEATS, TABLES

__all__ = ["Conflict", "Place", "Saved", "Sitter", "Standing", "Store", "hash_token"]


class Conflict(Exception):  # noqa: N818  (it reports a state, not a fault)
    """The log has gone on, or the table is not ours to act at: somebody else wrote."""


@dataclass(frozen=True)
class Sitter:
    """Who sits in a seat: a person known to the server. ``handle`` is None for guests."""

    person_id: str
    name: str
    handle: str | None
    kind: str


@dataclass(frozen=True)
class Place:
    """How a seat is opened: by whoever has the token of this hash, and by this person wherever he is signed in."""

    token_hash: str | None = None
    person_id: str | None = None


@dataclass(frozen=True)
class Standing:
    """What follows from the log and is kept beside it, to be searched: when a flag falls (milliseconds), how many
    seats still wait for somebody, whether the game is over and how it ended."""

    deadline: int | None = None
    waiting: int = 0
    over: bool = False
    result: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Saved:
    """A table as it is on disk. ``tokens`` are the hashes of each seat's token, ``sitters`` the people known to sit
    there; ``acks`` the event number that each client id became; ``owner`` the run that acts at it unasked, alive as far
    as ``owner_seen`` (seconds); ``after`` the table that this one is the rematch of."""

    id: str
    setup: Setup
    opened: float
    tokens: Mapping[int, str]
    log: tuple[LogEvent, ...]
    acks: Mapping[str, int]
    sitters: Mapping[int, Sitter] = field(default_factory=dict)
    owner: int | None = None
    owner_seen: float | None = None
    creator: str | None = None
    public: bool = False
    rated: bool = False
    speed: str = ""
    after: str | None = None


def hash_token(token: str) -> str:
    """What is stored of a seat's token. Tokens carry 192 random bits, so a plain hash is enough."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


class Store:
    """Tables in a database."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def begin_run(self, now: float) -> int:
        """Note that a server began to run at ``now`` (seconds); returns the number of the run."""
        async with self.database.write() as connection:
            made = await connection.execute(RUNS.insert().values(began=now, seen=now).returning(RUNS.c.id))
            return int(made.scalar_one())

    async def seen(self, run: int, now: float) -> None:
        """Note that the server is alive at ``now`` (seconds)."""
        async with self.database.write() as connection:
            await connection.execute(RUNS.update().where(RUNS.c.id == run).values(seen=now))

    async def time_down(self, since: float, until: float) -> float:
        """How many of the seconds from ``since`` to ``until`` no server was running, as far as is known."""
        async with self.database.read() as connection:
            rows = (await connection.execute(sa.select(RUNS).where(RUNS.c.seen >= since).order_by(RUNS.c.began))).all()
        up_to, down = since, 0.0
        for row in rows:
            down += max(0.0, min(row.began, until) - up_to)
            up_to = max(up_to, row.seen)
        return down

    async def open_table(
        self,
        table_id: str,
        setup: Setup,
        places: Mapping[int, Place],
        *,
        speed: str = "",
        creator: str | None = None,
        public: bool = False,
        rated: bool = False,
        waiting: int = 0,
        after: str | None = None,
    ) -> None:
        """Keep a new table with its seats."""
        async with self.database.write() as connection:
            await connection.execute(
                TABLES.insert().values(
                    id=table_id,
                    setup=setup.data(),
                    opened=time.time(),
                    game=setup.game,
                    speed=speed,
                    creator=creator,
                    public=public,
                    rated=rated,
                    waiting=waiting,
                    after=after,
                )
            )
            if places:
                await connection.execute(
                    SEATS.insert(),
                    [
                        {
                            "table_id": table_id,
                            "seat": seat,
                            "token_hash": place.token_hash,
                            "person_id": place.person_id,
                        }
                        for seat, place in places.items()
                    ],
                )

    async def load(self, table_id: str) -> Saved | None:
        """The table as it is on disk; None where there is none."""
        async with self.database.read() as connection:
            found = (
                await connection.execute(
                    sa.select(TABLES, RUNS.c.seen.label("owner_seen"))
                    .outerjoin(RUNS, RUNS.c.id == TABLES.c.owner)
                    .where(TABLES.c.id == table_id)
                )
            ).first()
            if found is None:
                return None
            seats = (
                await connection.execute(
                    sa.select(SEATS, PEOPLE.c.name, PEOPLE.c.handle, PEOPLE.c.kind)
                    .outerjoin(PEOPLE, PEOPLE.c.id == SEATS.c.person_id)
                    .where(SEATS.c.table_id == table_id)
                )
            ).all()
            rows = (
                await connection.execute(
                    sa.select(EVENTS).where(EVENTS.c.table_id == table_id).order_by(EVENTS.c.number)
                )
            ).all()
        return Saved(
            table_id,
            Setup.read(found.setup),
            found.opened,
            {row.seat: row.token_hash for row in seats if row.token_hash},
            tuple(LogEvent(row.number, row.kind, row.data) for row in rows),
            {row.client_id: row.number for row in rows if row.client_id},
            {row.seat: Sitter(row.person_id, row.name, row.handle, row.kind) for row in seats if row.person_id},
            found.owner,
            found.owner_seen,
            found.creator,
            found.public,
            found.rated,
            found.speed,
            found.after,
        )

    async def append(
        self,
        table_id: str,
        events: Sequence[LogEvent],
        client_id: str | None,
        standing: Standing | None = None,
        *,
        owner: int | None = None,
        seats: Mapping[int, Place] | None = None,
    ) -> None:
        """Write ``events`` in one transaction; it is on disk when this returns. ``client_id`` goes to the last of them.

        ``standing`` is what they lead to; ``seats`` are opened anew with them. Conflict where the log has moved on or
        knows the client id, or where ``owner`` is given and no longer owns the table.
        """
        now = time.time()
        standing = standing or Standing()
        rows = [
            {
                "table_id": table_id,
                "number": event.number,
                "kind": event.kind,
                "data": dict(event.data),
                "client_id": None,
                "at": now,
            }
            for event in events
        ]
        rows[-1]["client_id"] = client_id
        known = (TABLES.c.id == table_id) & (TABLES.c.number == events[0].number - 1)
        if owner is not None:
            known &= TABLES.c.owner == owner
        change = (
            TABLES.update()
            .where(known)
            .values(
                number=events[-1].number,
                deadline=standing.deadline,
                waiting=standing.waiting,
                over=standing.over,
                ended=sa.case((TABLES.c.over, TABLES.c.ended), else_=now) if standing.over else None,
                result=None if standing.result is None else dict(standing.result),
            )
        )
        try:
            async with self.database.write() as connection:
                if (await connection.execute(change)).rowcount != 1:
                    raise Conflict
                await connection.execute(EVENTS.insert(), rows)
                for seat, place in (seats or {}).items():
                    await connection.execute(
                        SEATS.update()
                        .where((SEATS.c.table_id == table_id) & (SEATS.c.seat == seat))
                        .values(token_hash=place.token_hash, person_id=place.person_id)
                    )
        except IntegrityError:
            raise Conflict from None

    async def own(self, table_id: str, run: int, instead_of: int | None) -> bool:
        """Let ``run`` own the table that ``instead_of`` (a run that is gone; None: nobody) owned; False where somebody
        else was faster."""
        before = TABLES.c.owner.is_(None) if instead_of is None else TABLES.c.owner == instead_of
        async with self.database.write() as connection:
            made = await connection.execute(TABLES.update().where((TABLES.c.id == table_id) & before).values(owner=run))
            return made.rowcount == 1

    async def disown(self, run: int, tables: Iterable[str] | None = None) -> None:
        """Let go of ``tables`` (None: all) that ``run`` owns."""
        theirs = TABLES.c.owner == run
        if tables is not None:
            theirs &= TABLES.c.id.in_(list(tables))
        async with self.database.write() as connection:
            await connection.execute(TABLES.update().where(theirs).values(owner=None))
