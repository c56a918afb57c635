"""A new database, opened."""

import asyncio
from collections.abc import Iterator

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
