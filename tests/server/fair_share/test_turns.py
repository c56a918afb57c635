"""Whose request is begun when, where one network sends many at once."""

import asyncio
import time

import pytest

from tercet.server.limits import spenders
from tercet.server.limits.budgets import Budgets, Exchange, ServerLimits
from tercet.server.limits.queue import FairThreads
from tercet.server.limits.spenders import HEAVY, LoopTime, Spender, Turns
from tests.server.fair_share.conftest import busy


async def test_a_network_that_sends_many_requests_begins_one_in_a_turn_of_the_loop_in_their_order() -> None:
    begun, during, turns = list[str](), list[int](), Turns()

    async def request(name: str) -> None:
        await turns.take(name.split()[0])
        begun.append(name)

    names = [*(f"crowd {number:02}" for number in range(20)), "other"]
    asked = [asyncio.ensure_future(request(name)) for name in names]
    await asyncio.sleep(0)
    asked[12].cancel()  # who is gone is passed over
    while len(begun) < 20:
        before = len(begun)
        await asyncio.sleep(0)
        during.append(len(begun) - before)
    await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 5)
    assert not turns._waiting
    assert "other" in begun[:2]
    assert max(during) <= 2
    assert [name for name in begun if name != "other"] == [name for name in names[:20] if name != "crowd 12"]


async def test_what_is_much_work_leaves_less_of_the_turn() -> None:
    done: list[int] = []
    turns = Turns(8)
    assert all(turns.enter("crowd") for _ in range(3))
    turns.use("crowd", 5)
    assert not turns.enter("crowd")
    assert turns.enter("other")

    def heavy() -> bool:
        done.append(1)
        turns.use("crowd", 4)
        return True

    for _ in range(5):
        turns.call("crowd", heavy)
    while len(done) < 5:
        before = len(done)
        await asyncio.sleep(0)
        assert len(done) - before <= 2
    for _ in range(2):
        await asyncio.sleep(0)
    assert turns.enter("crowd")


@pytest.mark.online
async def test_heavy_networks_leave_the_loop_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six networks that came and went took the loop in turns: an action waited for six of them in each turn."""
    monkeypatch.setattr(spenders, "OTHERS_SECONDS", 0.0001)  # whatever else this machine does
    shared, begun = LoopTime(), list[float]()
    turns = Turns(8, shared)
    crowd = [f"203.0.{number}.0/24" for number in range(6)]

    async def come(network: str) -> None:
        who = Spender(network, loop=shared)
        while True:
            await turns.take(network)
            begun.append(time.thread_time())
            who.run(busy, 0.004)

    async def play() -> None:
        """Act, and see what the loop does for others in 20 turns, again and again."""
        who, took = Spender("198.51.100.0/24", loop=shared), []
        for _ in range(60):
            await turns.take("198.51.100.0/24")
            who.run(busy, 0.0005)
            before = len(begun)
            for _ in range(20):
                await asyncio.sleep(0)
            took.append((len(begun) - before) * 0.004)
            assert sum(took[20:]) < 40 * 0.045
            assert took[-1] < 2  # 20 turns of 6 networks would be four seconds

    asked = [asyncio.ensure_future(come(network)) for network in crowd for _ in range(5)]
    try:
        await play()
    finally:
        for one in asked:
            one.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
    assert HEAVY in {shared.turn(network) for network in crowd}


@pytest.mark.online
async def test_heavy_networks_pause_for_what_threads_do_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty clients set the widest conditional moves: threads checked them, and actions took 60 ms instead of 6."""
    monkeypatch.setattr(spenders, "HEAVY_SECONDS", 0.004)
    monkeypatch.setattr(spenders, "OTHERS_SECONDS", 0.0)
    shared = LoopTime()
    threads = FairThreads("test", 2, Budgets(ServerLimits(), Exchange()))
    who = Spender("203.0.113.0/24", "ann", loop=shared)
    for _ in range(20):
        shared.begin(shared.turn(who.network or ""))
        await threads.run(lambda: sum(range(300_000)), who)
        who.run(time.sleep, spenders.SHARE_SECONDS)  # which is when the loop's time is shared out
    shared.begin(spenders.HEAVY)
    assert shared.wait(spenders.HEAVY) > 0.001


async def test_heavy_networks_use_half_of_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """They began the next thing when the one before was done: others waited for one of them at each step."""
    monkeypatch.setattr(spenders, "OTHERS_SECONDS", 0.0)
    shared, who = LoopTime(), Spender("203.0.113.0/24", "ann")
    who.loop = shared
    for _ in range(20):
        shared.begin(shared.turn(who.network or ""))
        shared.worked(who, 0.05)
        who.run(time.sleep, 1.1 * spenders.SHARE_SECONDS)  # the loop's time is shared out
    shared.begin(HEAVY)
    assert shared.wait(HEAVY) > 0.09
