"""What is kept on disk: tables, hashes of seat tokens, and the log of events, which is the truth.

SQLite with a write-ahead log and ``synchronous=FULL``: what :meth:`Store.append` has returned from survives a killed
process and a power cut.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import sqlite3
import time
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import create_async_engine

from tercet.play import LogEvent, Setup

__all__ = ["HEAD", "METADATA", "Conflict", "Saved", "Store", "hash_token", "migrate"]

HEAD = "0002"  # the newest migration; a test holds it to migrations/versions

METADATA = sa.MetaData()
TABLES = sa.Table(
    "tables",
    METADATA,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("setup", sa.JSON, nullable=False),
    sa.Column("opened", sa.Float, nullable=False),
)
SEATS = sa.Table(
    "seats",
    METADATA,
    sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("token_hash", sa.String(64), nullable=False),
)
EVENTS = sa.Table(
    "events",
    METADATA,
    sa.Column("table_id", sa.String(32), sa.ForeignKey("tables.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("data", sa.JSON, nullable=False),
    sa.Column("client_id", sa.String(80)),
    sa.Column("at", sa.Float, nullable=False),
    sa.UniqueConstraint("table_id", "client_id", name="one_event_for_a_client_id"),
)
RUNS = sa.Table(
    "runs",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("began", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
)


class Conflict(Exception):  # noqa: N818  (it reports a state, not a fault)
    """The log already holds an event of that number or client id: somebody else wrote it."""


@dataclass(frozen=True)
class Saved:
    """A table as it is on disk. ``tokens`` are the hashes of each seat's token; ``acks`` the event number that each
    client id became."""

    id: str
    setup: Setup
    opened: float
    tokens: Mapping[int, str]
    log: tuple[LogEvent, ...]
    acks: Mapping[str, int]


def hash_token(token: str) -> str:
    """What is stored of a seat's token. Tokens carry 192 random bits, so a plain hash is enough."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()


def migrate(path: Path) -> None:
    """Bring the database file at ``path`` to the newest schema, creating it where there is none."""
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("PRAGMA journal_mode=WAL")
        known = plain.execute("SELECT name FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
        if known and plain.execute("SELECT version_num FROM alembic_version").fetchone() == (HEAD,):
            return
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    engine.dispose()


class Store:
    """The database. Writers take turns; readers do not wait for them."""

    def __init__(self, path: Path) -> None:
        self._engine = create_async_engine(f"sqlite+aiosqlite:///{path}", pool_size=4, max_overflow=4)
        self._write = asyncio.Lock()

        @sa.event.listens_for(self._engine.sync_engine, "connect")
        def settle(connection: Any, _record: Any) -> None:
            cursor = connection.cursor()
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
                cursor.execute(f"PRAGMA {pragma}")
            cursor.close()

    async def close(self) -> None:
        """Let go of the file."""
        await self._engine.dispose()

    async def begin_run(self, now: float) -> int:
        """Note that a server began to run at ``now`` (seconds); returns the number of the run."""
        async with self._write, self._engine.begin() as connection:
            made = await connection.execute(RUNS.insert().values(began=now, seen=now).returning(RUNS.c.id))
            return int(made.scalar_one())

    async def seen(self, run: int, now: float) -> None:
        """Note that the server is alive at ``now`` (seconds)."""
        async with self._write, self._engine.begin() as connection:
            await connection.execute(RUNS.update().where(RUNS.c.id == run).values(seen=now))

    async def time_down(self, since: float, until: float) -> float:
        """How many of the seconds from ``since`` to ``until`` no server was running, as far as is known."""
        async with self._engine.connect() as connection:
            rows = (await connection.execute(sa.select(RUNS).order_by(RUNS.c.id))).all()
        gaps = [(float(before.seen), float(after.began)) for before, after in itertools.pairwise(rows)]
        return sum(max(0.0, min(end, until) - max(begin, since)) for begin, end in gaps)

    async def open_table(self, table_id: str, setup: Setup, tokens: Mapping[int, str]) -> None:
        """Keep a new table; ``tokens`` are hashes of the seats' tokens."""
        async with self._write, self._engine.begin() as connection:
            await connection.execute(TABLES.insert().values(id=table_id, setup=setup.data(), opened=time.time()))
            if tokens:
                await connection.execute(
                    SEATS.insert(),
                    [{"table_id": table_id, "seat": seat, "token_hash": made} for seat, made in tokens.items()],
                )

    async def load(self, table_id: str) -> Saved | None:
        """The table as it is on disk; None where there is none."""
        async with self._engine.connect() as connection:
            found = (await connection.execute(sa.select(TABLES).where(TABLES.c.id == table_id))).first()
            if found is None:
                return None
            seats = (await connection.execute(sa.select(SEATS).where(SEATS.c.table_id == table_id))).all()
            rows = (
                await connection.execute(
                    sa.select(EVENTS).where(EVENTS.c.table_id == table_id).order_by(EVENTS.c.number)
                )
            ).all()
        return Saved(
            table_id,
            Setup.read(found.setup),
            found.opened,
            {row.seat: row.token_hash for row in seats},
            tuple(LogEvent(row.number, row.kind, row.data) for row in rows),
            {row.client_id: row.number for row in rows if row.client_id},
        )

    async def append(self, table_id: str, events: Iterable[LogEvent], client_id: str | None) -> None:
        """Write ``events`` in one transaction; it is on disk when this returns. ``client_id`` goes to the last of them.

        Conflict where the log has moved on or knows the client id.
        """
        now = time.time()
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
        try:
            async with self._write, self._engine.begin() as connection:
                await connection.execute(EVENTS.insert(), rows)
        except IntegrityError:
            raise Conflict from None
