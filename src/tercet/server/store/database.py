"""One database, by its address: SQLite in a file, or PostgreSQL."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from tercet.errors import TercetError

__all__ = ["HEAD", "Database", "DatabaseError", "address", "migrate"]

HEAD = "0003"  # the newest migration; a test holds it to migrations/versions
DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000")
LOCK = 7_265_743  # of PostgreSQL, held while the schema is brought up to date


class DatabaseError(TercetError):
    """The database cannot be used: its address, its driver, or the server behind it."""


def address(where: str | Path) -> URL:
    """The address of the database: a ``sqlite:`` or ``postgresql:`` URL, or the path of a file (SQLite)."""
    if isinstance(where, Path) or "://" not in where:
        return URL.create(DRIVERS["sqlite"], database=str(where))
    try:
        url = make_url(where)
    except ArgumentError:
        raise DatabaseError("the address of the database cannot be read") from None
    name = url.drivername.split("+")[0]
    if name not in DRIVERS:
        raise DatabaseError(f"the database is SQLite or PostgreSQL, not {name[:20]}")
    return url.set(drivername=DRIVERS[name])


def migrate(url: URL) -> None:
    """Bring the database to the newest schema, creating it where there is none. Several processes may call at once.

    DatabaseError where it cannot be reached.
    """
    sync = url.set(drivername="sqlite" if url.drivername.startswith("sqlite") else url.drivername)
    try:
        engine = sa.create_engine(sync)
        with engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                connection.execute(sa.text("PRAGMA journal_mode=WAL"))
            else:
                connection.execute(sa.text(f"SELECT pg_advisory_lock({LOCK})"))
            known = sa.inspect(connection).has_table("alembic_version")
            if not known or connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar() != HEAD:
                connection.commit()
                _upgrade(connection)
            connection.commit()
        engine.dispose()
    except ImportError:
        raise DatabaseError("PostgreSQL needs the package's extra: pip install 'tercet[large]'") from None
    except DBAPIError as error:
        raise DatabaseError(f"the database cannot be used: {str(error.orig).strip().splitlines()[0]}") from None


def _upgrade(connection: sa.Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent.with_name("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    with connection.begin():
        command.upgrade(config, "head")


class Database:
    """A pool of connections. With SQLite writers take turns; readers never wait for them."""

    def __init__(self, url: URL) -> None:
        self.url = url
        self.is_sqlite = url.drivername.startswith("sqlite")
        self.engine = create_async_engine(url, pool_size=4, max_overflow=8, pool_pre_ping=not self.is_sqlite)
        self._turn: contextlib.AbstractAsyncContextManager[Any] = (
            asyncio.Lock() if self.is_sqlite else contextlib.nullcontext()
        )
        if self.is_sqlite:

            @sa.event.listens_for(self.engine.sync_engine, "connect")
            def settle(connection: Any, _record: Any) -> None:
                cursor = connection.cursor()
                for pragma in PRAGMAS:
                    cursor.execute(f"PRAGMA {pragma}")
                cursor.close()

    @contextlib.asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that is on disk when this ends, or has not happened where it raises."""
        async with self._turn, self.engine.begin() as connection:
            yield connection

    @contextlib.asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection to read from."""
        async with self.engine.connect() as connection:
            yield connection

    async def close(self) -> None:
        """Let go of all connections."""
        await self.engine.dispose()
