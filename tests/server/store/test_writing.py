"""What is written together: how often, in what order, and who waits for whom."""

import asyncio
import sqlite3
import threading
import time
import traceback
from typing import Any
from unittest import mock

import pytest
import sqlalchemy as sa

from tercet.server.errors import Unreachable
from tercet.server.store.database import PACE_SECONDS, SLOWEST_PACE_SECONDS, Database, _Lane, _Turn
from tercet.server.store.schema import KEY_VALUES

SLOWEST = SLOWEST_PACE_SECONDS
PACES = [(1, PACE_SECONDS), (50, PACE_SECONDS), (200, 200 / 8000), (600, SLOWEST), (5000, SLOWEST)]


@pytest.mark.parametrize(("rate", "pace"), PACES)
def test_where_more_is_written_transactions_come_more_seldom(rate: int, pace: float) -> None:
    lane, now = _Lane(), 100.0
    for _ in range(60):
        works = max(1, round(rate * (max(lane.next, now) - now)))
        now = max(lane.next, now + works / rate)
        lane.note(works, now, 0.001)
    assert lane.next - now == pytest.approx(pace, rel=0.15)
    for start, took, pause in ((1000.0, 0.008, 0.016), (2000.0, 0.8, SLOWEST)):  # a slow disk is asked less often
        (lane := _Lane()).note(1, start, took)
        assert lane.next == pytest.approx(start + pause)


async def test_who_comes_first_waits_for_nobody_but_whoever_has_the_turn() -> None:
    had: list[str] = []

    async def have(turn: _Turn, name: str, first: bool = False) -> None:
        async with turn.take(first):
            had.append(name)
            await asyncio.sleep(0.01)

    turn = _Turn()
    waiting = [asyncio.ensure_future(have(turn, name)) for name in ("one", "two", "three")]
    await asyncio.sleep(0)
    waiting.append(asyncio.ensure_future(have(turn, "first", first=True)))
    waiting[1].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    await asyncio.wait_for(have(turn, "last"), 1)
    assert had == ["one", "first", "three", "last"]


async def test_a_turn_that_comes_to_who_has_gone_is_passed_on() -> None:
    turn = _Turn()

    async def have() -> None:
        async with turn.take():
            pass

    async with turn.take():
        gone, next_one = asyncio.ensure_future(have()), asyncio.ensure_future(have())
        await asyncio.sleep(0)
    gone.cancel()  # just when it has come to him
    await asyncio.wait_for(next_one, 1)
    assert gone.cancelled() or (await asyncio.gather(gone, return_exceptions=True))
    await asyncio.wait_for(have(), 1)


async def test_actions_are_not_written_behind_a_crowd_of_slower_transactions(sqlite: Database) -> None:
    done: list[str] = []

    async def slow(name: str) -> None:
        await sqlite.write_alone(lambda _: time.sleep(0.02))
        done.append(name)

    async def quick() -> None:
        await sqlite.write_together("a", lambda _: None)
        done.append("quick")

    await asyncio.gather(*(slow(str(number)) for number in range(10)), quick())
    assert done.index("quick") <= 2


async def test_what_is_written_alone_takes_its_turn_and_is_kept_whole_or_not_at_all(sqlite: Database) -> None:
    def insert(connection: sa.Connection, name: str) -> str:
        connection.execute(KEY_VALUES.insert().values(name=name, value="1"))
        return name

    def fail(connection: sa.Connection) -> None:
        insert(connection, "lost")
        raise ValueError("no")

    goes_on = threading.Event()

    def insert_late(connection: sa.Connection) -> str:
        goes_on.wait(10)
        return insert(connection, "first")

    first = asyncio.ensure_future(sqlite.write_alone(insert_late))
    second = asyncio.ensure_future(sqlite.write_alone(lambda one: insert(one, "second")))
    await asyncio.sleep(0.05)
    assert [first.done(), second.done()] == [False, False]
    goes_on.set()
    assert (await first, await second) == ("first", "second")
    with pytest.raises(ValueError, match="no"):
        await sqlite.write_alone(fail)
    names = await sqlite.find(lambda one: one.scalars(sa.select(KEY_VALUES.c.name)).all())
    assert set(names) == {"first", "second"}


async def test_the_frames_of_an_error_can_be_cleared_while_others_still_write(sqlite: Database) -> None:
    """A request that failed does so; the writer, which goes on, is none of its frames (seed 4259 of the simulation)."""
    later: list[asyncio.Future[int]] = []
    loop = asyncio.get_running_loop()

    def queue() -> None:
        later.append(asyncio.ensure_future(sqlite.write_together("a", lambda _: 1)))

    def fail(_: sa.Connection) -> None:
        loop.call_soon_threadsafe(queue)
        time.sleep(0.01)
        raise sa.exc.OperationalError("no", None, Exception("disk I/O error"))

    with pytest.raises(Unreachable) as failed:
        await sqlite.write_together("a", fail)
    traceback.clear_frames(failed.value.__traceback__)
    assert await asyncio.wait_for(later[0], 5) == 1


async def test_a_commit_that_fails_leaves_no_transaction_open(sqlite: Database) -> None:
    """Found by the simulated world (seed 4000): a connection was not reset, and nothing could be written after."""

    def one(connection: sa.Connection) -> Any:
        return connection.scalar(sa.text("SELECT 1"))

    error = sqlite3.OperationalError("disk I/O error")
    with mock.patch.object(sqlite._writer.dialect, "do_commit", side_effect=error), pytest.raises(Unreachable):
        await sqlite.write_alone(one)
    assert await sqlite.write_alone(one) == 1
