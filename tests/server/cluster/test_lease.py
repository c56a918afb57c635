"""Time as a process of the server tells it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from tercet.server.cluster.lease import Lease, Now
from tercet.server.store import Database, Leases, address, migrate


def test_a_clock_that_is_set_back_stops_no_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A process that starts then goes on from the time that the one before knew, and says so."""
    url = address(tmp_path / "tercet.sqlite")
    migrate(url)

    async def started() -> int:
        database = Database(url)
        lease = Lease(Leases(database), Now())
        await lease.begin()
        now = lease.now()
        await lease.end()
        await database.close()
        return now

    before = asyncio.run(started())
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() - 3600)
    after = asyncio.run(started())
    assert 0 <= after - before < 60_000
    assert [one.getMessage() for one in caplog.records] == [
        "this machine's clock was set back: games go on from the time they know"
    ]
