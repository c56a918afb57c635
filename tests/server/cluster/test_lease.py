"""Time as a process of the server tells it, and many tables that are taken over at once."""

import asyncio
import re
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
import sqlalchemy as sa

from tercet.server.errors import Unreachable
from tercet.server.store.database import Database, Now
from tercet.server.store.lease import Absences, Lease, LeaseRow, Leases, SharedTime, time_down
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.table import Table
from tests.server.conftest import Patch, Serve, play
from tests.support.waiting import until


@pytest.fixture
def leases(sqlite: Database) -> Leases:
    return Leases(sqlite)


async def begun(leases: Leases) -> Lease:
    lease = Lease(leases, Now())
    await lease.begin()
    return lease


def test_a_process_that_was_seen_last_before_it_could_be_reached_counts_no_time_twice() -> None:
    """Found by the simulated world: after a start with a slow disk more time was given back than had passed."""
    served = [LeaseRow(1, 0.0, 2.0, ""), LeaseRow(2, 10.0, 9.0, ""), LeaseRow(3, 11.0, 12.0, "")]
    assert time_down(served, 1.0, 12.0) == 9.0  # from 2 to 11


async def test_a_clock_that_is_set_back_stops_no_game(
    leases: Leases, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A process that starts then goes on from the time that the one before knew, and says so."""

    async def started() -> int:
        lease = await begun(leases)
        now = lease.now()
        await lease.end()
        return now

    before, real = await started(), time.time
    monkeypatch.setattr(time, "time", lambda: real() - 3600)
    assert 0 <= await started() - before < 60_000
    said = [one.getMessage() for one in caplog.records]
    assert [one for one in said if "was late by" not in one] == [  # on a busy machine
        "this machine's clock was set back: games go on from the time they know"
    ]


async def test_many_who_ask_whether_one_is_dead_look_once(leases: Leases, monkeypatch: pytest.MonkeyPatch) -> None:
    lease, looks = await begun(leases), AsyncMock(side_effect=leases.since)
    monkeypatch.setattr(leases, "since", looks)
    for asked, looked in ((50, 1), (1, 2)):
        lease._read_at = 0.0
        assert all(await asyncio.gather(*(lease.is_dead(lease.process_id + 1) for _ in range(asked))))
        assert looks.await_count == looked
    await lease.end()


async def test_clocks_stand_still_while_a_server_that_stops_refuses_commands(leases: Leases) -> None:
    """It may take seconds more to end, when a player has left without a word."""
    lease = await begun(leases)
    stopped = lease.now() / 1000
    lease.stop_serving()
    await asyncio.sleep(0.3)
    await lease.end()
    after = await begun(leases)
    assert time_down(await leases.since(stopped), stopped, after.now() / 1000) > 0.25
    await after.end()


def stand_in(**how: Callable[..., Any]) -> AsyncMock:
    """Stand for a database that answers so."""
    leases = AsyncMock(database=SimpleNamespace(is_sqlite=False))
    for name, answer in {"begin": lambda *_: 1, "since": lambda _: [], "go_on": lambda one, *_: one + 1, **how}.items():
        getattr(leases, name).side_effect = answer
    return leases


async def test_time_never_goes_back_by_what_its_reading_took() -> None:
    """After the clock was set back, a new process began 10 milliseconds behind the last one."""
    seen, late = time.time(), 0.02  # the error of the first reading; later ones have none
    readings, offsets = [late, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0]

    def correct(_before: float, to: float) -> bool:
        offsets.append(to)
        return True

    def shared_time(_: int) -> SharedTime:
        error = readings.pop(0)
        ahead = time.time() - 3600 + offsets[-1] - time.monotonic()
        return SharedTime(ahead + error / 2, error, offsets[-1], seen)

    lease = Lease(stand_in(correct=correct, shared_time=shared_time), Now())
    await lease.begin()
    assert 0 <= lease.now() / 1000 - seen < 60


async def test_time_in_which_only_reads_were_not_answered_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packets were lost just after a heartbeat was written: what waited then was the reading of the time."""
    real, passed = time.monotonic, [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: real() + passed[0])

    def answered(_: int) -> SharedTime:
        return SharedTime(time.time() - time.monotonic(), 0.001, 0.0, None)

    def not_answered(_: int) -> SharedTime:
        passed[0] += 9.0  # it waits for so long, in vain
        raise Unreachable

    lease = Lease(leases := stand_in(shared_time=answered), Now())
    await lease.begin()
    assert not await lease.beat()
    before, old = lease.now() / 1000, lease.process_id
    leases.shared_time.side_effect = not_answered
    with pytest.raises(Unreachable):
        await lease.beat()
    assert not lease.is_sure
    leases.shared_time.side_effect = answered
    assert await lease.beat()
    assert lease.time_away(old, before, lease.now() / 1000) == pytest.approx(9.0, abs=0.5)
    assert lease.time_away(old, before, before + 4) == pytest.approx(4.0, abs=0.5), "no more than what was asked about"


TABLES = 30


@pytest.mark.online
def test_a_stall_has_all_tables_taken_over(serve: Serve, caplog: pytest.LogCaptureFixture, monkeypatch: Patch) -> None:
    """If it asked the database for each of a thousand, it would stand still again before it has gone through them."""
    server = serve()
    wires = [server.both(clock={"kind": "turn", "seconds": 600})[1] for _ in range(TABLES)]
    for wire in wires:
        play([wire], "Rd4")
    registry = server.app.state.services.registry
    before = registry.lease.process_id
    asked: list[str] = []
    for engine in (registry.store.database._reader, registry.store.database._writer):
        sa.event.listen(engine, "before_cursor_execute", lambda _c, _u, statement, *_: asked.append(statement))
    monkeypatch.setattr(Absences, "between", lambda _absences, since, until: [(since, until)])
    registry.lease._noted -= 3  # the next beat finds that this process was suspended for so long
    until(lambda: registry.lease.process_id != before, what="the process did not notice")
    until(lambda: all(table.owned for table in registry.tables), what="not all tables were taken over")
    for wire in wires:
        wire.until("event", kind="resumed")
    assert len(asked) < TABLES
    assert any(re.match(r"this server was late by \d\.\d s", one.getMessage()) for one in caplog.records)
    assert wires[0].act(1, "Yd5")["type"] == "ack"


def test_a_process_with_much_to_look_after_still_says_it_lives(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes take over the tables of a process that does not renew its lease in time."""
    waiting: list[float] = []

    async def endless(registry: TableRegistry) -> None:
        waiting.append(registry.lease._noted)
        await asyncio.Event().wait()

    monkeypatch.setattr(TableRegistry, "_drop_idle", endless)
    lease = serve().app.state.services.registry.lease
    until(lambda: bool(waiting), what="nothing was looked after")
    until(lambda: lease._noted > waiting[0] + 1.5, what="the process does not say that it lives")


def test_commands_that_wait_for_their_process_ask_less_and_less(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand that ask twenty times a second would keep it from ever being sure again."""
    _, wire = serve().both()
    asked: list[float] = []

    async def not_yet(_table: Table, _came: int, _since: int | None = None) -> bool:
        asked.append(time.monotonic())
        return len(asked) > 5

    monkeypatch.setattr(Table, "_may_act", not_yet)
    assert wire.act(0, "Rd4")["type"] == "ack"
    assert asked[4] - asked[3] >= 0.4
    assert asked[5] - asked[4] >= 0.8
