"""A database at today's version goes on; one of another version is refused with a sentence that names the remedy."""

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from tercet.answers.tables import TableInfo
from tercet.play.session import Seat, TableSettings
from tercet.server.errors import DatabaseError
from tercet.server.store.database import HEAD, Database, address, migrate
from tercet.server.store.schema import METADATA
from tercet.server.store.tables import Store


def mark(where: str, revision: str) -> None:
    """Have the database say that it is at ``revision``."""
    url = address(where)
    engine = sa.create_engine(url.set(drivername="sqlite") if url.drivername.startswith("sqlite") else url)
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})
    engine.dispose()


async def test_a_database_at_todays_version_is_recognised_and_goes_on(database: str) -> None:
    migrate(address(database))
    settings = TableSettings("sanqi", {}, (Seat("person"), Seat("person")))
    kept = Store(Database(address(database)))
    await kept.open_table(TableInfo("t", settings), {})
    migrate(address(database))
    found = await kept.load("t")
    assert found is not None
    assert found.info.settings == settings
    await kept.database.close()


@pytest.mark.parametrize("revision", ["0001", "0009"])
def test_an_older_database_is_refused_with_the_remedy(database: str, revision: str) -> None:
    migrate(address(database))
    mark(database, revision)
    with pytest.raises(DatabaseError) as refused:
        migrate(address(database))
    assert str(refused.value).endswith(
        " was written by a development version before Tercet 0.2, which no later version can read. "
        "Move it away, or name another place with --data-dir or --database."
    )
    mark(database, HEAD)
    migrate(address(database))  # nothing was changed


def test_a_database_of_the_first_release_is_brought_up_to_date(tmp_path: Path) -> None:
    where = tmp_path / "tercet.sqlite"
    migrate(address(where))
    engine = sa.create_engine(f"sqlite:///{where}")
    with engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE seeks"))
    mark(str(where), "0010")
    migrate(address(where))
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), METADATA) == []
    engine.dispose()


def _migrate(path: str) -> None:
    migrate(address(path))


def test_processes_that_create_a_database_at_once_wait_for_each_other(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4) as processes:
        for number in range(5):
            list(processes.map(_migrate, [str(tmp_path / f"{number}.sqlite")] * 4))


def test_a_start_on_todays_database_loads_no_alembic(tmp_path: Path) -> None:
    """Alembic and what it loads would be a fifth of the time until the server answers."""
    migrate(address(tmp_path / "tercet.sqlite"))
    code = (
        "import sys, pathlib, tercet.server.app, tercet.server.run; "
        "from tercet.server.store.database import address, migrate; "
        "migrate(address(pathlib.Path(sys.argv[1]))); assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "tercet.sqlite")], check=True, timeout=120)
