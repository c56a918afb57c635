"""Processes that die, freeze and stop lose nothing; `benchmarks/fault.py` is the long form."""

import asyncio
import json
import random

import httpx
import pytest
from websockets.asyncio.client import connect

from tests.support import disk, network, services
from tests.support.failure_trial import play_through_failures, servers_that_can_be_cut_off

pytestmark = pytest.mark.online


TWO = pytest.param(False, id="two on PostgreSQL and Redis", marks=pytest.mark.long)


@pytest.mark.parametrize("sqlite", [TWO, pytest.param(True, id="one on SQLite")])
def test_nothing_is_lost_doubled_or_judged_wrongly(sqlite: bool) -> None:
    if not sqlite and services.missing():
        pytest.skip(services.missing())
    found = play_through_failures(games=6, seed=5, at_once=6, sqlite=sqlite)
    assert (found.violations, found.finished) == ([], 6)
    assert found.kills + found.stops + found.suspensions >= 1
    assert found.acknowledged["act"] > 100
    assert found.flags == 1  # of the player who was asleep
    assert found.doubled > 0


def test_power_cuts_and_failed_syncs_lose_nothing() -> None:
    """The power is cut with writes open, of which chance keeps some; syncs fail, and what was open then is lost."""
    if disk.missing():
        pytest.skip(disk.missing())
    found = play_through_failures(games=3, seed=2, at_once=3, power=True)
    assert (found.violations, found.finished) == ([], 3)
    assert found.kills >= 2
    assert found.sectors > 0


def test_lost_packets_lose_no_action() -> None:
    """Two processes are cut off from PostgreSQL and Redis, in whole and in part, and come back by themselves."""
    lacking = services.missing() or network.missing()
    if lacking:
        pytest.skip(lacking)
    found = play_through_failures(games=4, seed=4, at_once=4, partitions=True)
    assert (found.violations, found.finished) == ([], 4)
    assert found.partitions >= 1
    assert found.acknowledged["act"] > 100


def test_a_process_without_its_database_sends_its_players_to_another() -> None:
    """The other process judges the flags, and a player who stayed would not learn whose turn it is."""
    lacking = services.missing() or network.missing()
    if lacking:
        pytest.skip(lacking)

    async def follow() -> None:
        await asyncio.gather(*(server.start() for server in servers))
        async with httpx.AsyncClient() as http:
            body = {"game": "sanqi", "options": {"side": 4}, "seats": [{"kind": "me"}, {"kind": "here"}]}
            table = (await http.post(f"http://{servers[0].base}/api/tables", json=body)).json()["id"]
        await asyncio.sleep(2)  # each has seen the other
        assert servers[0].network is not None
        mine, others = (f"ws://{server.base}/api/tables/{table}/live" for server in servers)
        async with connect(mine) as wire:
            assert json.loads(await wire.recv())["type"] == "snapshot"
            await asyncio.sleep(0.5)
            cut = asyncio.ensure_future(servers[0].network.cut("requests", 60, random.Random(1)))
            await asyncio.wait_for(wire.wait_closed(), 9)
            assert wire.close_code == 1013
        async with connect(mine) as wire:
            await asyncio.wait_for(wire.wait_closed(), 9)
            assert wire.close_code == 1013
        async with connect(others) as wire:
            assert json.loads(await wire.recv())["type"] == "snapshot"
        cut.cancel()
        await asyncio.gather(cut, return_exceptions=True)

    with servers_that_can_be_cut_off(2, {"TERCET_ENGINES": "0", "TERCET_DRAIN": ""}, "") as (_, servers):
        try:
            asyncio.run(follow())
        finally:
            for server in servers:
                server.kill()
