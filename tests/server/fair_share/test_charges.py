"""Each answer is charged the processor time that it took: of the event loop, and of threads beside it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from unittest.mock import create_autospec

import pytest
from starlette.types import Message

from tercet.server.limits.budgets import Budgets, Exchange, ServerLimits
from tercet.server.limits.spenders import (
    SETTLE_SECONDS,
    ChargedStream,
    ChargedThreads,
    LoopTime,
    Metered,
    Spender,
    spender,
)
from tercet.server.store.tournaments import TournamentStore
from tests.server.conftest import Serve
from tests.server.fair_share.conftest import ANN, CUP, busy
from tests.server.people.browser import Browser
from tests.support.waiting import until


def unlimited() -> Budgets:
    """Budgets to which what a coroutine of Ann's does is charged."""
    budgets = Budgets(ServerLimits(), Exchange(), lambda: 0.0)
    spender(Spender("203.0.113.0/24", "ann", loop=LoopTime(lambda who, seconds: budgets.spend(who, cpu=seconds))))
    return budgets


async def charged(budgets: Budgets) -> float:
    """The seconds of computing that Ann was charged."""
    await asyncio.sleep(2 * SETTLE_SECONDS)
    return budgets._of("person ann").amounts[1]


async def test_the_loop_s_time_is_counted_and_waiting_is_not_and_who_is_cancelled_is_charged_too() -> None:
    async def work() -> str:
        busy(0.02)
        await asyncio.sleep(0.1)
        with pytest.raises(ValueError, match="no"):
            await failing()
        busy(0.02)
        return "done"

    async def failing() -> None:
        await asyncio.sleep(0)
        raise ValueError("no")

    async def cancelled() -> None:
        busy(0.01)
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(60)
        reached.set()
        raise asyncio.CancelledError

    budgets = unlimited()
    assert await Metered(work()) == "done"
    assert 0.04 <= await charged(budgets) < 0.1
    budgets, reached = unlimited(), asyncio.Event()
    task = asyncio.ensure_future(Metered(cancelled()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert reached.is_set()
    assert await charged(budgets) >= 0.01


async def test_the_steps_of_a_stream_are_charged() -> None:
    """They run in a task of their own: an export of one's data was charged half of what it took, or little more."""

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(3):
            busy(0.01)
            yield b"part"
            await asyncio.sleep(0)

    async def receive() -> Message:
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None:
        await asyncio.sleep(0)

    budgets = unlimited()
    await ChargedStream(parts())({"type": "http", "asgi": {"spec_version": "2.3"}}, receive, send)
    assert 0.03 <= await charged(budgets) < 0.1


async def test_threads_charge_the_client_that_asked() -> None:
    def failing() -> None:
        busy(0.15)
        raise ZeroDivisionError

    budgets = Budgets(ServerLimits(), Exchange(), lambda: 0.0)
    threads = ChargedThreads(budgets.charge, 2)
    loop = asyncio.get_running_loop()
    await loop.run_in_executor(threads, busy, 0.05)  # the server itself
    assert budgets.pressure() == []
    spender(ANN)
    await loop.run_in_executor(threads, busy, 0.15)
    with pytest.raises(ZeroDivisionError):
        await loop.run_in_executor(threads, failing)
    await asyncio.sleep(0)
    (person,) = [one for one in budgets.pressure() if one["who"] == "ann"]
    assert person["used"]["cpu"] == pytest.approx(0.3, abs=0.05)
    threads.shutdown()


@pytest.mark.online
def test_a_tournament_is_built_once_a_change_for_all_who_look(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """It was read and built for each: 37 ms with 128 guests."""
    server = serve()
    member, guest = Browser(server, "dorothea"), Browser(server)
    cup = member.post("/api/tournaments", json=CUP).json()["id"]
    loads: Any = create_autospec(TournamentStore.load, side_effect=TournamentStore.load)
    monkeypatch.setattr(TournamentStore, "load", loads)
    monkeypatch.setattr("tercet.server.tournaments.PUSH_SECONDS", 1000.0)  # nothing is read because of its age
    address = f"/api/tournaments/{cup}"
    for _ in range(30):
        assert member.get(address).json()["yours"] is True
        assert guest.get(address).json()["yours"] is False
        assert guest.get(address, headers={"accept-language": "de"}).json()["formTitle"] != ""
    assert loads.call_count <= 1
    assert guest.post(f"{address}/join").json()["entrants"] == 1
    before = loads.call_count
    assert [one.get(address).json()["entrants"] for one in (member, guest)] == [1, 1]
    assert member.post(f"{address}/begin").status_code in (200, 400, 409)
    assert guest.post(f"{address}/leave").json()["entrants"] == member.get(address).json()["entrants"] == 0
    assert loads.call_count - before < 10
    assert member.get("/api/tournaments/0123456789abcdef").status_code == 404


@pytest.mark.online
def test_the_games_of_a_large_tournament_come_in_parts(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.server.tournaments.MAX_PAIRINGS", 3)
    server = serve()
    people = [Browser(server) for _ in range(16)]
    address = f"/api/tournaments/{people[0].post('/api/tournaments', json=CUP).json()['id']}"
    assert {one.post(f"{address}/join").status_code for one in people} == {200}
    assert people[0].post(f"{address}/begin").status_code == 200
    until(lambda: people[0].get(address).json()["pairings"])

    def numbers(query: str = "") -> list[int]:
        return [one["number"] for one in people[1].get(f"{address}{query}").json()["pairings"]]

    pages = [numbers(query) for query in ("", "?before=6", "?before=3", "?before=1")]
    assert pages == [[6, 7, 8], [3, 4, 5], [1, 2], []]
    assert people[1].get(f"{address}?before=0").status_code == 400
