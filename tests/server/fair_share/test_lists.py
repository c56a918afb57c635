"""Lists and queues have places for each network: none fills them, however many accounts and games it has."""

import asyncio
import threading
from dataclasses import replace

import pytest

import tercet
from tercet.server import lobby
from tercet.server.api import challenges, tournaments
from tercet.server.engines import pool
from tercet.server.engines.pool import EnginePool
from tercet.server.errors import ApiError
from tercet.server.limits.queue import FairQueue, FairThreads
from tercet.server.limits.share import FairShare
from tercet.server.limits.spenders import Spender, spender
from tests.server.conftest import Patch, Serving
from tests.server.fair_share.conftest import CUP
from tests.server.people.browser import Browser
from tests.support.limits import OPEN
from tests.support.waiting import until

HOSTILE, INNOCENT, FRIENDLY = "203.0.113.5", "198.51.100.7", "192.0.2.9"


def client(server: Serving, host: str, handle: str = "") -> Browser:
    return Browser(server, handle, headers={"x-forwarded-for": host})


def test_games_of_one_network_do_not_fill_the_list_of_those_to_watch(proxied: Serving, monkeypatch: Patch) -> None:
    """36 of one address against itself took all 30 places."""
    server = proxied
    for name, value in (("PULSE_SECONDS", 0.1), ("MAX_LIVE_GAMES", 3), ("LIVE_OF_EACH_GAME", 3)):
        monkeypatch.setattr(lobby, name, value)
    server.restart()

    def play(host: str, watchers: int) -> str:
        browser = client(server, host)
        opened = browser.try_to_open("me", "here", watch="public").json()
        tokens = "&".join(f"seat={seat['token']}" for seat in opened["seats"] if seat["token"])
        headers = {"x-forwarded-for": host, "cookie": f"tercet={browser.cookie}"}
        for query in [tokens, *[""] * watchers]:
            server.socket(f"/api/tables/{opened['id']}/live?{query}", headers).hear()
        return str(opened["id"])

    innocent = [play(INNOCENT, 0), play(FRIENDLY, 0)]
    hostile = {play(HOSTILE, 1) for _ in range(5)}

    def listed() -> list[str]:
        return [one["id"] for one in server.http.get("/api/lobby").json()["live"]]

    until(lambda: len(listed()) == 3 and set(listed()) >= set(innocent))
    assert len(set(listed()) & hostile) == 1
    assert [one["id"] for one in server.http.get("/api/lobby?game=sanqi").json()["live"]] == listed()


def test_challenges_of_two_accounts_push_no_other_off_the_list(proxied: Serving, monkeypatch: Patch) -> None:
    """24 of them did so with a friend's."""
    monkeypatch.setattr(challenges, "MOST_WAITING", 4)
    target = client(proxied, "198.51.100.99", "target")
    friend, stranger = client(proxied, HOSTILE, "frieda"), client(proxied, INNOCENT, "stranger")
    assert target.post("/api/me/follows", json={"handle": "frieda"}).status_code == 200
    attackers = [client(proxied, HOSTILE, f"attacker-{number}") for number in range(2)]

    def challenge(by: Browser) -> str:
        table = by.open("me", "open", watch="link")
        assert by.post("/api/challenges", json={"handle": "target", "table": table}).status_code == 201
        return table

    good = [challenge(friend), challenge(stranger)]
    for attacker in attackers * 3:
        challenge(attacker)
    listed = [one["table"] for one in target.get("/api/me/challenges").json()["challenges"]]
    assert (len(listed), listed[0], set(listed) >= set(good)) == (4, good[0], True)


def test_tournaments_of_one_network_do_not_fill_the_list(proxied: Serving, monkeypatch: Patch) -> None:
    monkeypatch.setattr(tournaments, "MAX_LISTED", 3)
    announced = [client(proxied, host).post("/api/tournaments", json=CUP) for host in (INNOCENT, *[HOSTILE] * 5)]
    listed = [one["id"] for one in proxied.http.get("/api/tournaments").json()["tournaments"]]
    assert {one.status_code for one in announced} == {201}
    assert (len(listed), announced[0].json()["id"] in listed) == (3, True)


@pytest.mark.online
async def test_analyses_make_room_for_a_client_with_none(monkeypatch: Patch) -> None:
    """Four sockets of two networks used all of them up."""
    position = tercet.game("sanqi").start()
    thinking = EnginePool(FairShare(replace(OPEN, analyses=4, analyses_each=2)), 0)
    going: list[tuple[asyncio.Future[str], threading.Event]] = []

    async def begin(*clients: str) -> list[bool]:
        """Have them ask for an analysis each. Return which analyses were asked to stop."""
        for who in clients:
            stop = threading.Event()
            asked = thinking.analyse(f"{who} {id(stop)}", position, 1, 600, stop, lambda _: None, who)
            going.append((asyncio.ensure_future(asked), stop))
        await asyncio.sleep(0)
        return [stop.is_set() for _, stop in going]

    await begin(*(f"guests of {network}" for network in "aabba"))
    with pytest.raises(ApiError, match="You can run at most 2 analyses at once"):
        await going.pop()[0]
    assert await begin("ann") == [False, False, False, True, False], "in the place of the latest"
    assert await begin("bob") == [False, True, False, True, False, False]
    await begin("carl")
    with pytest.raises(ApiError, match="The server is busy with other analyses"):
        await going.pop()[0]  # all have one
    monkeypatch.setattr(pool, "ANALYSIS_TURN_SECONDS", 0.0)
    assert await begin("carl") == [True, True, False, True, False, False, False], "their turns are over"
    for _, stop in going:
        stop.set()
    await asyncio.gather(*(asked for asked, _ in going))
    assert await thinking.analyse("a", position, 1, 0.01, threading.Event(), lambda _: None, "guests of a")
    thinking.close()


async def test_a_full_queue_takes_a_client_with_less_than_its_share() -> None:
    """Guests of four networks had an innocent's previews refused."""
    threads = FairThreads("test", 1, None, each=16, total=64)
    held, done = threading.Event(), list[str]()

    async def ask(who: Spender) -> None:
        spender(who)

        def draw() -> None:
            held.wait(20)
            done.append(who.share)

        await threads.run(draw)

    crowd = [Spender(f"203.0.{network}.0/24") for network in range(4)]
    asked = [asyncio.ensure_future(ask(who)) for who in crowd for _ in range(17)]
    await asyncio.sleep(0.01)
    assert all(isinstance(task.exception(), ApiError) for task in asked if task.done())
    assert threads.waiting >= 64
    innocent = [asyncio.ensure_future(ask(Spender("198.51.100.0/24"))) for _ in range(11)]
    await asyncio.sleep(0.01)
    assert not any(task.done() for task in innocent)
    held.set()
    await asyncio.gather(*asked, *innocent, return_exceptions=True)
    threads.close()
    assert done[:6].count("guests of 198.51.100.0/24") >= 1
    assert done.count("guests of 198.51.100.0/24") == 11


@pytest.mark.online
@pytest.mark.parametrize(("shares", "asked", "most"), [(1000, 1000, 64), (97, 100_000, 2 * 64)])
def test_a_queue_of_many_shares_has_an_end(shares: int, asked: int, most: int) -> None:
    queue: FairQueue[int] = FairQueue(1)
    for number in range(asked):
        share = f"p{number % shares}"
        if not queue.is_full(share, 16, 64):
            queue.put(share, number)
    assert 64 <= len(queue) <= most
