"""Time as a process of the server tells it."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tercet.server.errors import Unreachable
from tercet.server.store.database import Database, address, migrate
from tercet.server.store.lease import Lease, LeaseRow, Leases, Now, SharedTime, time_down


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


async def test_a_crowd_of_tables_that_asks_whether_a_process_is_dead_looks_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = address(tmp_path / "tercet.sqlite")
    migrate(url)
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
    lease._read_at = 0.0
    assert all(await asyncio.gather(*(lease.is_dead(lease.process_id + 1) for _ in range(50))))
    assert looks == 1
    lease._read_at = 0.0
    assert await lease.is_dead(lease.process_id + 1)
    assert looks == 2
    await lease.end()
    await database.close()


async def test_clocks_stand_still_while_a_server_that_stops_refuses_commands(tmp_path: Path) -> None:
    """It may take seconds more to end, when a player has left without a word."""
    url = address(tmp_path / "tercet.sqlite")
    migrate(url)
    database = Database(url)
    lease = Lease(Leases(database), Now())
    await lease.begin()
    stopped = lease.now() / 1000
    lease.stop_serving()
    await asyncio.sleep(0.3)
    await lease.end()
    after = Lease(Leases(database), Now())
    await after.begin()
    assert time_down(await after.leases.since(stopped), stopped, after.now() / 1000) > 0.25
    await after.end()
    await database.close()


class _Leases:
    """Stands for a database whose reads stop answering: each waits for nine seconds, in vain."""

    database = SimpleNamespace(is_sqlite=False)

    def __init__(self, wait: Callable[[float], None]) -> None:
        self.answers, self._wait = True, wait

    async def begin(self, *_: Any) -> int:
        return 1

    async def go_on(self, process_id: int, *_: Any) -> int:
        return process_id + 1

    async def seen(self, *_: Any) -> None:
        pass

    async def since(self, _: float) -> list[LeaseRow]:
        return []

    async def shared_time(self, _: int) -> SharedTime:
        if not self.answers:
            self._wait(9.0)
            raise Unreachable
        return SharedTime(time.time() - time.monotonic(), 0.001, 0.0, None)


def test_time_never_goes_back_by_what_its_reading_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the clock was set back, a new process began 10 milliseconds behind the last one."""
    seen, late = time.time(), 0.02  # the error of the first reading; later ones have none
    leases, readings = _Leases(lambda _: None), [late, 0.0, 0.0, 0.0, 0.0, 0.0]
    offset = 0.0

    async def correct(_before: float, to: float) -> bool:
        nonlocal offset
        offset = to
        return True

    async def shared_time(_: int) -> SharedTime:
        error = readings.pop(0)
        ahead = time.time() - 3600 + offset - time.monotonic()
        return SharedTime(ahead + error / 2, error, offset, seen)

    monkeypatch.setattr(leases, "correct", correct, raising=False)
    monkeypatch.setattr(leases, "shared_time", shared_time)
    lease = Lease(leases, Now())  # type: ignore[arg-type]
    asyncio.run(lease.begin())
    assert 0 <= lease.now() / 1000 - seen < 60


async def test_time_in_which_only_reads_were_not_answered_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packets were lost just after a heartbeat was written: what waited then was the reading of the time."""
    real, passed = time.monotonic, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: real() + passed[0])
    leases = _Leases(lambda seconds: passed.__setitem__(0, passed[0] + seconds))
    lease = Lease(leases, Now())  # type: ignore[arg-type]
    await lease.begin()
    assert not await lease.beat()
    before, old = lease.now() / 1000, lease.process_id
    leases.answers = False
    with pytest.raises(Unreachable):
        await lease.beat()
    assert not lease.is_sure
    leases.answers = True
    assert await lease.beat()
    assert lease.time_away(old, before, lease.now() / 1000) == pytest.approx(9.0, abs=0.5)
