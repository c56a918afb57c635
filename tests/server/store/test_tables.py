"""What is on disk."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.config import Config
from alembic.script import ScriptDirectory

from tercet.answers.tables import TableInfo
from tercet.play.session import LogEvent, Seat, TableSettings
from tercet.server.errors import DatabaseError, Unreachable
from tercet.server.store import database as databases
from tercet.server.store.database import HEAD, Database, address, migrate
from tercet.server.store.lease import Leases, time_down
from tercet.server.store.logs import Conflict, SeatAccess, TableSummary, first_link
from tercet.server.store.tables import Store, hash_token
from tests.server.conftest import Patch
from tests.server.store.test_old_database import differences, mark
from tests.support import services
from tests.support.present import present

SETUP = TableSettings("sanqi", {"side": 4}, (Seat("person", "Ann"), Seat("engine", level=3)), seed=7, opening=("Rd4",))
ACTION = LogEvent(1, "action", {"ply": 1, "seat": 1, "action": "Yd5"})


def test_the_migrations_make_the_schema_of_the_code(tmp_path: Path) -> None:
    for _ in range(2):
        migrate(address(path := tmp_path / "tercet.sqlite"))
    config = Config()
    config.set_main_option("script_location", str(Path(databases.__file__).parents[1] / "migrations"))
    assert ScriptDirectory.from_config(config).get_current_head() == HEAD
    assert differences(path) == []


async def test_what_is_written_is_read_and_a_seat_is_opened_anew(kept: Store, database: str) -> None:
    await kept.open_table(TableInfo("t", SETUP), {0: SeatAccess(hash_token("secret"))})
    offer = LogEvent(2, "offer", {"seat": 0, "what": "draw"})
    await kept.append("t", [ACTION, offer], "0:x", TableSummary(deadline=1 << 41, waiting=1))
    found = present(await kept.load("t"))
    assert found.info == TableInfo("t", SETUP)
    assert found.log == (ACTION, offer)
    assert found.acks == {"0:x": 2}
    assert found.tokens == {0: hash_token("secret")}
    assert await kept.load("u") is None
    head = await kept.since("t", 0, first_link("t", SETUP.data()))
    assert (head.events, head.client_ids, head.fault) == ((ACTION, offer), (None, "0:x"), None)
    assert head.digest == found.digest
    assert await kept.heads(["t", "u"]) == {"t": (2, None)}
    for events, client_id in ([ACTION], None), ([LogEvent(3, "resign", {"seat": 0})], "0:x"):
        with pytest.raises(Conflict):
            await kept.append("t", events, client_id)
    with pytest.raises(Conflict):  # all or nothing
        await kept.append("t", [LogEvent(3, "resign", {"seat": 0}), ACTION], None)
    migrate(address(database))  # a database of today is recognised, and goes on
    assert await kept.load("t") == found
    for seat, token in enumerate(("new", "other")):
        await kept.open_seat("t", seat, SeatAccess(token))
    assert await kept.read_seats("t") == ({0: "new", 1: "other"}, {})


async def test_of_writers_at_once_one_wins_at_each_table_and_the_others_hear_of_it(kept: Store, database: str) -> None:
    stores = [kept, *(Store(Database(address(database))) for _ in range(2))]
    for table in range(8):
        await kept.open_table(TableInfo(f"t{table}", SETUP), {})
    told = await asyncio.gather(
        *(one.append(f"t{table}", [ACTION], f"{one!r}") for one in stores for table in range(8)), return_exceptions=True
    )
    assert sum(isinstance(one, bytes) for one in told) == 8
    assert all(isinstance(one, bytes | Conflict) for one in told)
    for other in stores[1:]:
        await other.database.close()


async def test_one_run_owns_a_table(kept: Store) -> None:
    runs = Leases(kept.database)
    first, second = await runs.begin(100.0), await runs.begin(101.0)
    await kept.open_table(TableInfo("t", SETUP), {})
    assert await kept.own(["t", "other"], first, None) == {"t": 0}
    assert await kept.own(["t"], second, None) == {}
    assert await kept.owners() == [first]
    with pytest.raises(Conflict):
        await kept.append("t", [ACTION], None, TableSummary(deadline=5), owner=second)
    await kept.append("t", [ACTION], None, TableSummary(deadline=5), owner=first)
    assert await kept.clocks_of(first, 10) == ["t"]
    assert await kept.overdue(6, 10) == []  # it has an owner
    await kept.forget_idle(first)
    assert await kept.owners() == [first]
    assert await kept.own(["t"], second, first) == {"t": 1}
    await kept.disown(second)
    assert await kept.overdue(4, 10) == []
    assert await kept.overdue(6, 10) == ["t"]
    await runs.seen(first, 110.0)
    await runs.seen(second, 130.0)
    await runs.begin(140.0)
    assert time_down(await runs.since(90.0), 90.0, 150.0) == pytest.approx(20.0)
    await runs.reachable(second + 1, 142.0)
    assert time_down(await runs.since(90.0), 90.0, 150.0) == pytest.approx(22.0)
    assert {run.id for run in await runs.since(120.0)} == {second, second + 1}


async def test_what_fails_takes_nobody_along(kept: Store) -> None:
    """Of several works in one transaction; each of the others is written once, and in order."""
    for table in ("t", "u", "v"):
        await kept.open_table(TableInfo(table, SETUP), {})
    second = LogEvent(2, "offer", {"seat": 0, "what": "draw"})
    writing = [kept.append("t", [ACTION], "0:a"), kept.append("u", [second], "0:b"), kept.append("v", [ACTION], "0:c")]
    writing += [kept.append("t", [second], "0:d"), kept.append("v", [second], "0:c")]
    found = await asyncio.gather(*writing, return_exceptions=True)
    assert [type(one) for one in found] == [bytes, Conflict, bytes, bytes, Conflict]
    logs = [[event.number for event in present(await kept.load(table)).log] for table in ("t", "u", "v")]
    assert logs == [[1, 2], [], [1]]


async def test_what_comes_at_about_a_time_is_written_together(sqlite: Database, monkeypatch: Patch) -> None:
    """One wait for the disk serves all who come within ``PACE_SECONDS`` of the transaction before."""
    monkeypatch.setattr("tercet.server.store.database.PACE_SECONDS", 0.5)
    begun: list[object] = []
    sa.event.listen(sqlite._writer, "begin", lambda _: begun.append(1))
    await sqlite.write_together("x", lambda _: None)
    began = len(begun)

    async def late(number: int) -> None:
        for _ in range(number):
            await asyncio.sleep(0)  # each after another turn of the loop
        await sqlite.write_together("x", lambda _: None)

    await asyncio.gather(*(late(number) for number in range(8)))
    assert len(begun) == began + 1


async def test_a_database_that_is_away_is_said_to_be(postgres: services.Postgres) -> None:
    away = Store(Database(address(postgres.url("nonesuch"))))
    for asked in (away.load("t"), away.append("t", [ACTION], None)):
        with pytest.raises(Unreachable):
            await asked
    await away.database.close()
    with pytest.raises(DatabaseError):
        migrate(address(postgres.url("nonesuch")))
    for wrong in ("mysql://x/y", "postgresql://[::1"):
        with pytest.raises(DatabaseError):
            address(wrong)


async def test_every_connection_waits_for_the_disk(sqlite: Database) -> None:
    def settings(connection: sa.Connection) -> list[Any]:
        return [connection.scalar(sa.text(f"PRAGMA {name}")) for name in ("synchronous", "journal_mode")]

    for ask in (sqlite.find, sqlite.write_alone):
        assert await ask(settings) == [2, "wal"]  # 2: FULL


OLDER = "was written by a development version before Tercet 0.2, which no later version can read."
OLDER += " Move it away, or name another place with --data-dir or --database."
NEWER = "was written by a newer version of Tercet. Update Tercet."


def test_a_database_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    file = tmp_path / "games.sqlite"
    migrate(address(file))
    for revision, why in (("0001", OLDER), ("0009", OLDER), ("9999", NEWER)):
        mark(str(file), revision)
        with pytest.raises(DatabaseError) as refused:
            migrate(address(file))
        assert str(refused.value) == f"The database {file} {why}"
    mark(str(file), HEAD)
    migrate(address(file))  # nothing was changed
    file.write_bytes(b"this is no database, " * 100)
    with pytest.raises(DatabaseError, match=rf"^The database {file} cannot be used: file is not a database\.$"):
        migrate(address(file))
