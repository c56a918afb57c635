"""Time as a process of the server tells it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from tercet.server.processes.lease import Lease, Now
from tercet.server.store import Database, LeaseRow, Leases, address, migrate


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
    said = [one.getMessage() for one in caplog.records]
    assert [one for one in said if "was late by" not in one] == [  # on a busy machine
        "this machine's clock was set back: games go on from the time they know"
    ]


def test_a_crowd_of_tables_that_asks_whether_a_process_is_dead_looks_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = address(tmp_path / "tercet.sqlite")
    migrate(url)

    async def work() -> None:
        database = Database(url)
        lease = Lease(Leases(database), Now())
        await lease.begin()
        looks = 0
        since = lease.leases.since

        async def counted(seen: float) -> list[LeaseRow]:
            nonlocal looks
            looks += 1
            return await since(seen)

        monkeypatch.setattr(lease.leases, "since", counted)
        lease._looked = 0.0
        assert all(await asyncio.gather(*(lease.is_dead(lease.process_id + 1) for _ in range(50))))
        assert looks == 1
        lease._looked = 0.0
        assert await lease.is_dead(lease.process_id + 1)
        assert looks == 2
        await lease.end()
        await database.close()

    asyncio.run(work())


def test_clocks_stand_still_while_a_server_that_stops_refuses_commands(tmp_path: Path) -> None:
    """It may take seconds more to end, when a player has left without a word."""
    url = address(tmp_path / "tercet.sqlite")
    migrate(url)

    async def work() -> None:
        database = Database(url)
        lease = Lease(Leases(database), Now())
        await lease.begin()
        stopped = lease.now() / 1000
        lease.stop_serving()
        await asyncio.sleep(0.3)
        await lease.end()
        after = Lease(Leases(database), Now())
        await after.begin()
        assert await after.leases.time_down(stopped, after.now() / 1000) > 0.25
        await after.end()
        await database.close()

    asyncio.run(work())
