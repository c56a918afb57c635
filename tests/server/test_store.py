"""What is on disk."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from tercet.play import LogEvent, Seat, Setup
from tercet.server import store
from tercet.server.store import Conflict, Database, Place, Store, address, migrate

SETUP = Setup("sanqi", {"side": 4}, (Seat("person", "Ann"), Seat("engine", level=3)), seed=7, opening=("Rd4",))
ACTION = LogEvent(1, "action", {"ply": 1, "seat": 1, "action": "Yd5"})


def test_the_migrations_make_the_schema_of_the_code(tmp_path: Path) -> None:
    path = tmp_path / "tercet.sqlite"
    migrate(address(path))
    migrate(address(path))
    config = Config()
    config.set_main_option("script_location", str(Path(store.__file__).parent.with_name("migrations")))
    assert ScriptDirectory.from_config(config).get_current_head() == store.HEAD
    engine = sa.create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), store.METADATA) == []
    engine.dispose()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    async def work() -> None:
        migrate(address(tmp_path / "a"))
        kept = Store(Database(address(tmp_path / "a")))
        await kept.open_table("t", SETUP, {0: Place(store.hash_token("secret"))})
        await kept.append("t", [ACTION, LogEvent(2, "offer", {"seat": 0, "what": "draw"})], "0:x")
        found = await kept.load("t")
        assert found is not None
        assert found.setup == SETUP
        assert found.log[0] == ACTION
        assert found.acks == {"0:x": 2}
        assert await kept.load("u") is None
        for events, client_id in ([ACTION], None), ([LogEvent(3, "resign", {"seat": 0})], "0:x"):
            with pytest.raises(Conflict):
                await kept.append("t", events, client_id)
        with pytest.raises(Conflict):  # all or nothing
            await kept.append("t", [LogEvent(3, "resign", {"seat": 0}), ACTION], None)
        again = await kept.load("t")
        assert again == found
        await kept.database.close()

    asyncio.run(work())


def test_every_connection_waits_for_the_disk(tmp_path: Path) -> None:
    async def work() -> None:
        migrate(address(tmp_path / "a"))
        kept = Store(Database(address(tmp_path / "a")))
        async with kept.database.read() as connection:
            assert (await connection.execute(sa.text("PRAGMA synchronous"))).scalar() == 2  # FULL
            assert (await connection.execute(sa.text("PRAGMA journal_mode"))).scalar() == "wal"
        await kept.database.close()

    asyncio.run(work())


def test_an_older_database_is_brought_up(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        plain.commit()
    migrate(address(path))
    with closing(sqlite3.connect(path)) as plain:
        assert plain.execute("SELECT version_num FROM alembic_version").fetchall() == [(store.HEAD,)]
        assert plain.execute("SELECT count(*) FROM events").fetchone() == (0,)
