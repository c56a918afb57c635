"""Nobody's use of what is scarce keeps others waiting, and everybody is told when he may go on."""

import asyncio
import dataclasses
import functools
import itertools
import json
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import DEFAULT, AsyncMock

import httpx
import pytest
from typer.testing import CliRunner, Result

from tercet.cli.app import all_commands
from tercet.server.errors import ApiError
from tercet.server.limits import queue, share
from tercet.server.limits.budgets import BURST_MINUTES, NETWORK_FACTOR, Buckets, Exchange
from tercet.server.limits.queue import FairQueue, FairThreads
from tercet.server.limits.share import Bans
from tercet.server.limits.spenders import Spender, spender
from tercet.server.store.pubsub import PubSub
from tests.server.conftest import Patch, Serve, Wire, code
from tests.server.fair_share.conftest import ANN, BOB, counting
from tests.support.limits import OPEN
from tests.support.waiting import until, until_async

BAD, GOOD = {"x-forwarded-for": "203.0.113.9"}, {"x-forwarded-for": "198.51.100.1"}
START = "sanqi/4 4/5/6/7/6/5/4 F -"


def people(*arguments: str) -> Result:
    """Run a command of the operator about people."""
    return CliRunner().invoke(all_commands(), ["people", *arguments])


def test_a_budget_is_used_up_and_comes_back_and_a_network_of_many_guests_has_one_too() -> None:
    now = [0.0]
    budgets = counting(lambda: now[0])
    budgets.spend(ANN, cpu=6 * BURST_MINUTES - 0.1)
    budgets.check(ANN, "cpu")
    budgets.spend(ANN, cpu=0.2)
    with pytest.raises(ApiError) as refused:
        budgets.check(ANN, "cpu")
    assert refused.value.code == "too-many"
    assert refused.value.retry is not None
    assert refused.value.data["used"]["cpu"] == pytest.approx(30.1)
    budgets.check(ANN, "rows", "bytes", "engine")  # which is another matter
    budgets.check(BOB, "cpu")
    now[0] += refused.value.retry
    budgets.check(ANN, "cpu")
    budgets = counting()
    for number in range(NETWORK_FACTOR * BURST_MINUTES + 1):
        budgets.spend(Spender("203.0.113.0/24", f"guest {number}"), cpu=6)
    with pytest.raises(ApiError) as refused:
        budgets.check(Spender("203.0.113.0/24", "a new one"), "cpu")
    assert refused.value.where == "network"
    budgets.check(BOB, "cpu")
    assert [one["who"] for one in budgets.pressure(1)] == ["203.0.113.0/24"]
    assert budgets.greatest()["network", "cpu"] > 1 > budgets.greatest()["person", "cpu"] > 0


class Heard(PubSub):
    """What several processes say to each other."""

    reaches_others = True


async def joined(pubsub: PubSub) -> tuple[Exchange, Exchange]:
    """What two processes tell each other over ``pubsub``."""
    exchanges = Exchange(), Exchange()
    for exchange in exchanges:
        await exchange.begin(pubsub)
    return exchanges


async def test_processes_count_together() -> None:
    exchanges = await joined(Heard())
    one, other = (counting(exchange=exchange) for exchange in exchanges)
    rates = [Buckets(60, 2) for _ in exchanges]
    for exchange, rate in zip(exchanges, rates, strict=True):
        exchange.share("rate", rate)
    one.spend(ANN, cpu=6 * BURST_MINUTES + 1)
    assert [rates[0].take("a") for _ in range(3)] == [True, True, False]
    assert 0 < rates[0].wait("a") <= 1
    await exchanges[0].tell()
    with pytest.raises(ApiError):
        other.check(ANN, "cpu")
    assert not rates[1].take("a")
    assert rates[1].take("b")
    await exchanges[1].tell()  # what was heard is not told again
    assert one.pressure() == other.pressure()


@pytest.mark.server_errors("could not tell the other processes what was used")
async def test_what_was_used_is_told_after_an_error(monkeypatch: Patch, caplog: pytest.LogCaptureFixture) -> None:
    """The task that tells the other processes ended at the error, and what it was about to tell was lost."""
    monkeypatch.setattr("tercet.server.limits.budgets.EXCHANGE_SECONDS", 0.01)
    pubsub, heard = Heard(), Counter[str]()
    answers = itertools.chain([AssertionError("not expected")], itertools.repeat(DEFAULT))
    publish = AsyncMock(wraps=pubsub.publish, side_effect=answers)
    monkeypatch.setattr(pubsub, "publish", publish)
    one, other = await joined(pubsub)
    other.count("rate", lambda key, amounts: heard.update({key: int(amounts[0])}))
    one.note("rate", "a", (2.0,))
    telling = asyncio.ensure_future(one.run())
    await until_async(lambda: publish.call_count)
    one.note("rate", "a", (1.0,))
    await until_async(lambda: heard["a"] == 3)
    telling.cancel()
    assert "could not tell the other processes what was used" in caplog.text


async def test_processes_know_how_many_sockets_others_have_open() -> None:
    here, (one, other) = Counter(a=150, b=2), await joined(Heard())
    one.show("sockets", here)
    for count in (150, 40, 0):
        here["a"] = count
        await one.tell()
        assert [other.elsewhere("sockets", who) for who in "ab"] == [count, 0]  # of a few nobody is told
        assert one.elsewhere("sockets", "a") == 0


@pytest.mark.online
def test_sockets_of_one_address_at_two_processes_count_together(database: str, redis: Any, serve: Serve) -> None:
    limits = dataclasses.replace(OPEN, sockets_per_address=14)
    servers = [serve(database=database, redis=redis.url, limits=limits) for _ in range(2)]
    table, _ = servers[0].both()
    kept = [servers[0].wire(table) for _ in range(12)]
    until(lambda: servers[1].app.state.services.fair_share.exchange.elsewhere("sockets", "127.0.0.1") == 13)
    assert servers[1].wire(table).until("snapshot", "error")["type"] == "snapshot"
    assert servers[1].wire(table).until("snapshot", "error")["code"] == "too-many"
    assert len(kept) == 12


def test_whoever_used_least_is_served_first() -> None:
    used = {"ann": 50.0, "bob": 0.5}
    queue: FairQueue[int] = FairQueue(1, lambda who: used[who])
    for number in range(2):
        queue.put("ann", number)
        queue.put("bob", number)
    taken = []
    while (found := queue.take()) is not None:
        taken.append(found)
        queue.done(found[0])
    assert taken == [("bob", 0), ("bob", 1), ("ann", 0), ("ann", 1)]


async def test_a_queue_of_threads_is_fair_and_bounded() -> None:
    budgets = counting()
    queue = FairThreads("test", 2, budgets, each=3, total=5)
    held = threading.Event()
    done: list[str] = []

    async def ask(who: Spender, name: str) -> None:
        def work() -> None:
            held.wait(20)
            done.append(name)

        spender(who)
        await queue.run(work)

    asked = [asyncio.ensure_future(ask(ANN, f"ann {number}")) for number in range(5)]
    await asyncio.sleep(0)  # all have asked
    await asyncio.sleep(0)
    refused = [task for task in asked if task.done()]
    assert [type(task.exception()) for task in refused] == [ApiError]
    assert queue.waiting == 3
    bob = asyncio.ensure_future(ask(BOB, "bob"))
    await until_async(lambda: bob.done() or queue.waiting == 3)
    assert queue.waiting == 3  # Bob's is at work at once
    asked[3].cancel()  # whoever has gone is not served
    await asyncio.sleep(0)
    assert queue.waiting == 2
    held.set()
    await asyncio.gather(*asked, bob, return_exceptions=True)
    assert sorted(done) == ["ann 0", "ann 1", "ann 2", "bob"]
    assert budgets.pressure() == [] or budgets.greatest()["person", "cpu"] < 0.1
    queue.close()


def test_a_record_is_read_while_the_dial_plays_on(serve: Serve, monkeypatch: Patch) -> None:
    """Beside one guest's dial at level 5, a record of 5,000 characters took 38 to 70 seconds."""
    asked: list[str] = []
    dialled = threading.Event()

    async def noted(self: queue.WorkApart, work: Any, fields: dict[str, Any], who: Spender) -> str:
        asked.append(next(name for name, apart in aparts.items() if apart is self))
        if asked[-1] == "playing":
            await asyncio.to_thread(dialled.wait, 60)
        return "{}"

    monkeypatch.setattr(queue.WorkApart, "run", noted)
    server = serve()
    shared = server.app.state.services.fair_share
    aparts = {"apart": shared.apart, "playing": shared.playing}
    with ThreadPoolExecutor(1) as thread:
        thread.submit(httpx.post, f"{server.http.base_url}/api/dial", json={"game": "sanqi", "level": 5})
        until(lambda: asked == ["playing"])
        assert httpx.post(f"{server.http.base_url}/api/record", json={"text": "[x] " * 2000}).json() == {}
        assert asked == ["playing", "apart"]
        dialled.set()


@pytest.mark.online
def test_whoever_asks_for_too_much_is_told_when_to_come_again(serve: Serve, monkeypatch: Patch) -> None:
    monkeypatch.setenv("TERCET_TRUSTED_PROXIES", "127.0.0.1")
    monkeypatch.setenv("TERCET_METRICS_TOKEN", "token")
    server = serve(limits=dataclasses.replace(OPEN, bytes_per_minute=2_000))
    greedy = {**BAD, "accept-encoding": "identity"}
    refused = [server.http.get("/api/games", headers=greedy) for _ in range(12)][-1]
    error = refused.json()["error"]
    assert (refused.status_code, error["where"]) == (429, "network")
    assert int(refused.headers["retry-after"]) == error["retry"] > 0
    assert error["used"]["bytes"] >= 2_000 * BURST_MINUTES * NETWORK_FACTOR
    assert server.http.get("/api/games", headers=GOOD).status_code == 200
    at = ["--server", str(server.http.base_url)]
    shown = people("pressure", *at).output
    assert "203.0.113.0/24" in shown, shown
    assert json.loads(people("pressure", *at, "--json").output)["pressure"][0]["share"] >= 1
    metrics = server.http.get("/metrics", headers={"authorization": "Bearer token"}).text
    assert 'tercet_over_budget_total{of="network",resource="bytes"}' in metrics
    assert 'tercet_waiting{what="opening"} 0.0' in metrics
    assert server.http.get("/pressure", headers=GOOD).status_code == 404


def test_a_loop_of_actions_and_takebacks_ends(serve: Serve) -> None:
    """Rows in the log have a budget as everything has; the clock of whoever is refused runs on."""
    _, wire = serve(limits=dataclasses.replace(OPEN, rows_per_minute=1)).both()
    action = wire.heard[-1]["state"]["view"]["paths"][0][0]
    both: list[dict[str, Any]] = [{"type": "act", "ply": 0, "action": action}, {"type": "takeback", "ply": 0}]
    heard = [wire.ask(**message) for _ in range(12) for message in both]
    assert heard[0]["type"] == "ack"
    refused = heard[-1]
    assert (refused["code"], refused["where"], refused["retry"] > 0) == ("too-many", "network", True)
    assert sum(one["type"] == "ack" for one in heard) <= BURST_MINUTES * NETWORK_FACTOR + 2


def test_work_is_dropped_when_its_asker_has_gone(serve: Serve, monkeypatch: Patch) -> None:
    held, served, timed = threading.Event(), [], queue.timed

    def slow(work: Callable[[], Any]) -> Any:
        served.append(work)
        assert held.wait(20)
        return timed(work)

    server = serve()
    pool = server.app.state.services.fair_share.threads["drawing"]
    monkeypatch.setattr(queue, "timed", slow)
    ask = functools.partial(httpx.post, f"{server.http.base_url}/api/draw", json={"position": START})
    with ThreadPoolExecutor(1) as thread:
        thread.submit(ask, timeout=30)
        until(lambda: len(served) == 1)
        with pytest.raises(httpx.TimeoutException):
            ask(timeout=0.2)
        until(lambda: pool.waiting == 0)  # the second one is not served any more
        held.set()
    assert len(served) == 1


@pytest.mark.online
def test_a_long_record_is_read_elsewhere_and_in_time(serve: Serve, monkeypatch: Patch) -> None:
    """Neither the games' process nor those who open tables wait for it; what takes too long is ended."""
    server = serve()
    wire = server.both()[1]
    assert wire.act(0, wire.heard[-1]["state"]["view"]["paths"][0][0])["type"] == "ack"
    text = server.http.get(f"{wire.path.removesuffix('/live')}/record").text
    long = text.replace("1. ", "1. {" + "a long comment " * 400 + "} ", 1)
    assert len(long) > 4000
    server.app.state.services.fair_share.apart._seconds = 60.0
    assert len(server.http.post("/api/record", json={"text": long}).json()["moves"]) >= 1
    opened = server.http.post("/api/tables", json={"record": long, "seats": [{"kind": "me"}, {"kind": "here"}]})
    assert opened.status_code == 201, opened.text
    assert code(server.http.post("/api/record", json={"text": "nonsense " * 1000})) == "bad-record"
    monkeypatch.setattr(queue, "MAX_WAITING_EACH", 0)
    refused = server.http.post("/api/record", json={"text": long})
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")


def test_the_operator_bans_a_network_by_hand_and_who_is_connected(serve: Serve, monkeypatch: Patch) -> None:
    monkeypatch.setenv("TERCET_TRUSTED_PROXIES", "127.0.0.1")
    monkeypatch.setattr(share, "CHECK_SECONDS", 0.1)
    server = serve()
    where = ["--data-dir", str(server.folder)]
    address = f"ws://127.0.0.1:{server.port}/api/tables/{server.open('me', 'here')['id']}/live"
    theirs, others = Wire(address, BAD), Wire(address, GOOD)
    token = server.visitor("owner").http.post("/api/tokens", json={"name": "bot"}).json()["token"]
    bot = {**BAD, "authorization": f"Bearer {token}"}
    with httpx.stream("GET", f"{server.http.base_url}/api/bot/stream", headers=bot, timeout=60) as stream:
        said = people("ban", "203.0.113.77/24", "--hours", "2", "--why", "opens tables", *where)
        assert said.output == "203.0.113.0/24 is banned for 2 hours.\n"
        for _ in stream.iter_lines():
            pass
    assert theirs.until_closed() == 1008
    others.say({"type": "ping", "id": "here"})
    assert others.until("pong")["id"] == "here"
    others.close()
    assert [server.http.get("/api/me", headers=who).status_code for who in (BAD, GOOD)] == [403, 200]
    assert "opens tables" in people("bans", *where).output
    people("unban", "203.0.113.0/24", *where)
    until(lambda: server.http.get("/api/me", headers=BAD).status_code == 200)
    assert people("ban", "everybody", *where).exit_code != 0
    assert not Bans().refuses("203.0.113.9")
