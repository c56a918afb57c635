"""Leases on a database of their own."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tercet.server.store.database import Database, address, migrate
from tercet.server.store.lease import Lease, Leases, Now


@pytest.fixture
def leases(tmp_path: Path) -> Iterator[Leases]:
    """The leases of processes on a new database."""
    migrate(address(tmp_path / "tercet.sqlite"))
    database = Database(address(tmp_path / "tercet.sqlite"))
    yield Leases(database)
    asyncio.run(database.close())


async def begun(leases: Leases) -> Lease:
    """The lease of a process that has just started."""
    lease = Lease(leases, Now())
    await lease.begin()
    return lease
