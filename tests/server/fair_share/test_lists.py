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
from tests.server.conftest import Serve, Serving, Wire
from tests.server.people.browser import Browser
from tests.support.limits import OPEN
from tests.support.waiting import until

HOSTILE, INNOCENT, FRIENDLY = "203.0.113.5", "198.51.100.7", "192.0.2.9"


@pytest.fixture
def server(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Serving:
    """A server that believes us where we come from."""
    monkeypatch.setenv("TERCET_TRUSTED_PROXIES", "127.0.0.1")
    return serve()


def client(server: Serving, host: str, handle: str = "") -> Browser:
    return Browser(server, handle, headers={"x-forwarded-for": host})


def test_games_of_one_network_do_not_fill_the_list_of_those_to_watch(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """36 of one address against itself took all 30 places."""
    monkeypatch.setattr(lobby, "PULSE_SECONDS", 0.1)
    monkeypatch.setattr(lobby, "MAX_LIVE_GAMES", 3)
    monkeypatch.setattr(lobby, "LIVE_OF_EACH_GAME", 3)
    server.restart()

    def play(host: str, watchers: int) -> str:
        browser = client(server, host)
        opened = browser.try_to_open("me", "here", watch="public").json()
        live = f"ws://127.0.0.1:{server.port}/api/tables/{opened['id']}/live"
        tokens = "&".join(f"seat={seat['token']}" for seat in opened["seats"] if seat["token"])
        headers = {"x-forwarded-for": host, "cookie": f"tercet={browser.cookie}"}
        for query in [tokens, *[""] * watchers]:
            server.wires.append(Wire(f"{live}?{query}", headers))
            server.wires[-1].hear()
        return str(opened["id"])

    innocent = [play(INNOCENT, 0), play(FRIENDLY, 0)]
    hostile = {play(HOSTILE, 1) for _ in range(5)}

    def listed() -> list[str]:
        return [one["id"] for one in server.http.get("/api/lobby").json()["live"]]

    until(lambda: len(listed()) == 3 and len(set(listed()) & hostile) >= 1)
    until(lambda: set(listed()) >= set(innocent))
    assert len(set(listed()) & hostile) == 1
    assert [one["id"] for one in server.http.get("/api/lobby?game=sanqi").json()["live"]] == listed()


def test_challenges_of_two_accounts_push_no_other_off_the_list(
    server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """24 of them did so with a friend's."""
    monkeypatch.setattr(challenges, "MOST_WAITING", 4)
    target = client(server, "198.51.100.99", "target")
    friend, stranger = client(server, HOSTILE, "frieda"), client(server, INNOCENT, "stranger")
    assert target.post("/api/me/follows", json={"handle": "frieda"}).status_code == 200
    attackers = [client(server, HOSTILE, f"attacker-{number}") for number in range(2)]

    def challenge(by: Browser) -> str:
        table = by.open("me", "open", watch="link")
        assert by.post("/api/challenges", json={"handle": "target", "table": table}).status_code == 201
        return table

    good = [challenge(friend), challenge(stranger)]
    for _ in range(3):
        for attacker in attackers:
            challenge(attacker)
    listed = [one["table"] for one in target.get("/api/me/challenges").json()["challenges"]]
    assert len(listed) == 4
    assert listed[0] == good[0]
    assert set(listed) >= set(good)


def test_tournaments_of_one_network_do_not_fill_the_list(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments, "MAX_LISTED", 3)
    clock = {"kind": "fischer", "minutes": 5, "increment": 3}
    wish = {"name": "Cup", "form": "swiss", "game": "sanqi", "options": {"side": 4}, "clock": clock}

    def announce(host: str) -> str:
        answer = client(server, host).post("/api/tournaments", json=wish)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    innocent, *_ = (announce(host) for host in (INNOCENT, *[HOSTILE] * 5))
    listed = [one["id"] for one in server.http.get("/api/tournaments").json()["tournaments"]]
    assert len(listed) == 3
    assert innocent in listed


@pytest.mark.online
async def test_analyses_make_room_for_a_client_with_none(monkeypatch: pytest.MonkeyPatch) -> None:
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

    await begin(*(f"guests of {network}" for network in "aabb"))
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
