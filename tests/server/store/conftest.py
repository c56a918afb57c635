"""A new database, opened."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tercet.server.store.database import Database, address, migrate
from tercet.server.store.tables import Store


@pytest.fixture
def kept(database: str) -> Iterator[Store]:
    """A store of a new database of either kind."""
    migrate(address(database))
    made = Store(Database(address(database)))
    yield made
    asyncio.run(made.database.close())


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Database]:
    """A new database in a file."""
    migrate(address(tmp_path / "some.sqlite"))
    made = Database(address(tmp_path / "some.sqlite"))
    yield made
    asyncio.run(made.close())
