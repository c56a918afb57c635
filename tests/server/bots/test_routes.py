"""Bots over the net: streams, acting, the example, ``tercet bot``."""

import contextlib
import itertools
import json
import queue
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

import tercet
from tercet.cli import engines as cli
from tercet.engines import EngineError
from tests.server.conftest import CLIENT, Serve
from tests.support.waiting import until

ROOT = Path(__file__).parents[3]
UGI = f"{sys.executable} -m tercet ugi"
NUMBERS = itertools.count(1)
SMALL = {"game": "sanqi", "options": {"side": 4}}
FAILING = """
import sys
for line in sys.stdin:
    print({"ugi": "ugiok", "isready": "readyok"}.get(line.strip(), ""), flush=True)
    if line.startswith("game"):
        sys.exit(1)
"""


class Lines:
    """Lines of an answer that does not end, read in a thread."""

    def __init__(self, http: httpx.Client, path: str) -> None:
        self.heard: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.empty = 0
        self._http, self._path = http, path
        self._open = contextlib.ExitStack()
        self.answer = self._open.enter_context(http.stream("GET", path, timeout=30))
        assert self.answer.status_code == 200, self.answer.read()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(httpx.HTTPError, RuntimeError, ValueError):
            for line in self.answer.iter_lines():
                if line:
                    self.heard.put(json.loads(line))
                else:
                    self.empty += 1
        self.heard.put(None)

    def hear(self) -> dict[str, Any]:
        """The next line."""
        line = self.heard.get(timeout=60)
        assert line is not None, "the stream ended"
        return line

    def until(self, kind: str, **fields: Any) -> dict[str, Any]:
        """The next line of this type with these fields."""
        while True:
            line = self.hear()
            if line["type"] == kind and all(line[name] == value for name, value in fields.items()):
                return line

    def close(self) -> None:
        """Hang up."""
        with contextlib.suppress(Exception):
            self._open.close()


class Bot:
    """A bot's account and its program."""

    def __init__(self, server: Any) -> None:
        self.server = server
        owner = server.visitor("bot")
        self.handle = owner.handle
        assert owner.http.post("/api/me/bot").status_code == 200
        self.token = owner.http.post("/api/tokens", json={"name": "test"}).json()["token"]
        self.http = httpx.Client(
            base_url=str(server.http.base_url), headers={"authorization": f"Bearer {self.token}"}, **CLIENT
        )
        self._lines: list[Lines] = []

    def listen(self) -> Lines:
        """What happens to it."""
        self._lines.append(Lines(self.http, "/api/bot/stream"))
        return self._lines[-1]

    def follow(self, table: str) -> Lines:
        """One game."""
        self._lines.append(Lines(self.http, f"/api/bot/games/{table}/stream"))
        return self._lines[-1]

    def post(self, path: str, **body: Any) -> httpx.Response:
        """Act."""
        return self.http.post(f"/api/bot/{path}", json=body or None)

    def challenge(self, *others: str, **wish: Any) -> str:
        """A table to which it asks other bots; its id."""
        seats = [{"kind": "me"}, *({"kind": "bot", "handle": other} for other in others)]
        answer = self.http.post("/api/tables", json={**SMALL, "seats": seats, **wish})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def close(self) -> None:
        """Go."""
        for lines in self._lines:
            lines.close()
        self.http.close()


@pytest.fixture
def bots(server: Any) -> Iterator[Callable[[], Bot]]:
    made: list[Bot] = []

    def make() -> Bot:
        made.append(Bot(server))
        return made[-1]

    yield make
    for bot in made:
        bot.close()


def play(bot: Bot, table: str, states: list[dict[str, Any]]) -> None:
    """Play at random to the end."""
    rng = random.Random(bot.handle)
    lines = bot.follow(table)
    full = lines.until("gameFull")
    state = full["state"]
    while True:
        states.append(state)
        if state["over"]:
            return
        if state["yourTurn"]:
            now = bot.http.get(f"/api/bot/games/{table}/legal").json()
            assert now["position"] == state["position"]
            assert now["mover"] in full["yourSeats"]
            answer = bot.post(f"games/{table}/act", ply=now["ply"], action=rng.choice(now["legal"]))
            assert answer.status_code == 200, answer.text
        state = lines.until("gameState")


def test_bot_against_bot(bots: Callable[[], Bot]) -> None:
    white, black = bots(), bots()
    table = white.challenge(black.handle)
    first, second = white.listen(), black.listen()
    asked = second.until("challenge")
    assert (asked["table"], asked["game"], asked["seat"]) == (table, "sanqi", 1)
    assert asked["seats"][0]["handle"] == white.handle
    assert black.post(f"challenges/{table}/accept").json() == {"table": table, "seat": 1}
    assert first.until("gameStart")["table"] == second.until("gameStart")["table"] == table
    states: tuple[list[Any], list[Any]] = ([], [])
    threads = [
        threading.Thread(target=play, args=(bot, table, told)) for bot, told in zip((white, black), states, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    ends = [told[-1] for told in states]
    assert ends[0]["position"] == ends[1]["position"]
    assert ends[0]["over"]
    assert ends[0]["outcome"]["reason"]
    assert first.until("gameFinish")["table"] == second.until("gameFinish")["table"] == table
    for told in states:  # what each was told, put together, is the game
        moves: list[str] = []
        for state in told:
            moves = moves[: state["since"]] + state["moves"]
            assert len(moves) == state["ply"]
        position = tercet.game("sanqi", side=4).start()
        for text in moves:
            position = position.play(text)
        assert str(position) == told[-1]["position"]


def test_a_bot_against_somebody_at_a_screen(server: Any, bots: Callable[[], Bot]) -> None:
    bot, person = bots(), server.visitor()
    events = bot.listen()
    table = person.open("me", {"kind": "bot", "handle": bot.handle}, chat=True)
    wire = server.wire(table["id"], table["seats"][0]["token"])
    assert (wire.until("snapshot")["state"]["waiting"], wire.act(0, "Rd4")["code"]) == ([1], "not-begun")
    assert events.until("challenge")["table"] == table["id"]
    bot.post(f"challenges/{table['id']}/accept")
    assert wire.until("event")["kind"] == "sit"
    lines = bot.follow(table["id"])
    assert lines.until("gameFull")["yourSeats"] == [1]
    assert wire.act(0, "Rd4")["type"] == "ack"
    state = lines.until("gameState", yourTurn=True)
    assert (state["ply"], state["since"], state["moves"]) == (1, 0, ["Rd4"])
    bot.post(f"games/{table['id']}/act", ply=1, action="Yd5", id="mine")
    assert bot.post(f"games/{table['id']}/act", ply=1, action="Yd5", id="mine").status_code == 200  # once
    told = next(heard for heard in iter(lambda: wire.until("event"), None) if heard["state"]["ply"] == 2)
    assert (told["state"]["mover"], told["state"]["seats"][1]["kind"]) == (0, "bot")
    assert bot.post(f"games/{table['id']}/talk", text="Good luck <b>").status_code == 200
    assert wire.until("talk")["text"] == "Good luck <b>"
    wire.ask(type="say", room="players", text="And to you")
    assert lines.until("talk", seat=0)["text"] == "And to you"
    wire.ask(type="takeback")
    offer = lines.until("gameState", ply=2)
    while not offer["offers"]:
        offer = lines.until("gameState")
    assert offer["offers"][0]["what"] == "takeback"
    bot.post(f"games/{table['id']}/answer", what="takeback", yes=True)
    back = lines.until("gameState", ply=0)
    assert (back["since"], back["moves"]) == (0, [])
    wire.act(0, "Bd4")
    lines.until("gameState", ply=1)
    bot.post(f"games/{table['id']}/act", ply=1, actions=["Ya4"])
    assert bot.post(f"games/{table['id']}/resign").status_code == 200
    assert lines.until("gameState", over=True)["outcome"]["reason"] == "resignation"
    assert events.until("gameFinish")["table"] == table["id"]


def test_a_declined_challenge(server: Any, bots: Callable[[], Bot]) -> None:
    bot, person = bots(), server.visitor()
    events = bot.listen()
    table = person.open("me", {"kind": "bot", "handle": bot.handle})
    wire = server.wire(table["id"], table["seats"][0]["token"])
    wire.until("snapshot")
    events.until("challenge")
    assert bot.post(f"challenges/{table['id']}/decline").status_code == 200
    event = wire.until("event")
    assert (event["kind"], event["reason"]) == ("abort", "declined")
    assert event["state"]["over"]
    assert events.until("challengeCanceled")["table"] == table["id"]
    assert bot.post(f"challenges/{table['id']}/accept").status_code in (404, 409)


def test_only_who_is_asked_may_answer(server: Any, bots: Callable[[], Bot]) -> None:
    asked, other, person = bots(), bots(), server.visitor()
    table = person.open("me", {"kind": "bot", "handle": asked.handle})["id"]
    assert other.post(f"challenges/{table}/accept").status_code == 404
    assert other.post(f"challenges/{table}/decline").status_code == 404
    assert other.http.get(f"/api/bot/games/{table}/stream").json()["error"]["code"] == "not-your-seat"
    assert other.post(f"games/{table}/act", ply=0, action="Rd4").json()["error"]["code"] == "not-your-seat"
    assert person.http.get("/api/bot/stream").json()["error"]["code"] in ("not-allowed", "not-signed-in")
    assert httpx.get(f"{server.http.base_url}/api/bot/stream").status_code == 401
    wrong = httpx.get(f"{server.http.base_url}/api/bot/stream", headers={"authorization": "Bearer tercet_" + 43 * "x"})
    assert wrong.status_code == 401


def test_what_a_bot_does_wrong_is_told(bots: Callable[[], Bot]) -> None:
    one, two = bots(), bots()
    table = one.challenge(two.handle)
    two.post(f"challenges/{table}/accept")

    def code(**body: Any) -> str:
        answer = one.post(f"games/{table}/act", **body)
        assert answer.status_code in (400, 403, 409)
        return str(answer.json()["error"]["code"])

    assert (code(ply=0, action="Rz99"), code(ply=3, action="Rd4")) == ("illegal-action", "stale-ply")
    assert (code(ply=0), code(ply=0, action="Rd4", actions=["Rd4"])) == ("bad-message", "bad-message")
    assert code(ply=0, action="Rd4", id="no spaces") == "bad-message"
    assert two.post(f"games/{table}/act", ply=0, action="Rd4").json()["error"]["code"] == "not-your-turn"
    assert one.post(f"games/{table}/explode").status_code == 400
    assert one.http.get("/api/bot/games/0123456789abcdef/legal").status_code == 404


def test_a_bot_that_dies_in_its_turn_goes_on_where_it_was(bots: Callable[[], Bot]) -> None:
    one, two = bots(), bots()
    table = one.challenge(two.handle, clock={"kind": "fischer", "minutes": 5, "increment": 2})
    two.post(f"challenges/{table}/accept")
    lines, other = one.follow(table), two.follow(table)
    lines.until("gameFull")
    one.post(f"games/{table}/act", ply=0, action="Rd4")
    other.until("gameState", ply=1)
    other.close()  # it dies in its turn
    two.post(f"games/{table}/act", ply=1, action="Yd5")
    one.post(f"games/{table}/act", ply=2, action="Bd3")
    again = two.listen()
    assert again.until("gameStart")["table"] == table  # told anew to whoever comes back
    full = two.follow(table).until("gameFull")
    assert full["state"]["moves"] == ["Rd4", "Yd5", "Bd3"]
    assert full["state"]["yourTurn"]
    assert (full["control"]["kind"], full["state"]["clock"]["running"]) == ("fischer", 1)


@pytest.mark.online
def test_streams_go_on_in_another_server(serve: Serve) -> None:
    server = serve()
    one, two = Bot(server), Bot(server)
    table = one.challenge(two.handle)
    two.post(f"challenges/{table}/accept")
    lines = one.follow(table)
    lines.until("gameFull")
    server.restart()
    while lines.heard.get(timeout=30) is not None:
        pass  # the stream ends with its server
    for bot in (one, two):
        bot.http = httpx.Client(
            base_url=str(server.http.base_url), headers={"authorization": f"Bearer {bot.token}"}, **CLIENT
        )
    lines = one.follow(table)
    assert lines.until("gameFull")["state"]["yourTurn"]
    one.post(f"games/{table}/act", ply=0, action="Rd4")
    assert lines.until("gameState")["ply"] == 1
    one.close()
    two.close()


def test_silent_streams_give_signs_of_life_and_end(bots: Callable[[], Bot], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.server.api.bots.KEEPALIVE_SECONDS", 0.3)
    lines = bots().listen()
    until(lambda: lines.empty >= 2)
    # The count of each bot's streams kept a zero for every bot that ever listened.
    from tercet.server.api import bots as routes

    before = set(routes._streams)
    lines = bots().listen()
    until(lambda: set(routes._streams) - before)
    lines.close()
    until(lambda: set(routes._streams) <= before)


@contextlib.contextmanager
def running(*command: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=30)


def finished(server: Any, table: str) -> dict[str, Any]:
    """The table's state when the game is over."""

    def state_if_over() -> dict[str, Any] | None:
        state: dict[str, Any] = server.http.get(f"/api/tables/{table}").json()["state"]
        return state if state["over"] else None

    state = until(state_if_over, 120)
    assert state is not None
    return state


def has_come_to(server: Any, table: str, ply: int) -> bool:
    """Whether that many actions were played, or the game ended sooner."""
    state = server.http.get(f"/api/tables/{table}").json()["state"]
    return bool(state["ply"] >= ply or state["over"])


@pytest.mark.online
def test_the_example_plays_every_game(server: Any, bots: Callable[[], Bot]) -> None:
    assert (ROOT / "examples" / "bot.py").read_text().count("\n") < 60
    bot, person = bots(), server.visitor()
    with running(sys.executable, str(ROOT / "examples" / "bot.py"), str(server.http.base_url), bot.token):
        asked = {"kind": "bot", "handle": bot.handle}
        tables = []
        for name in tercet.games():
            engines = [{"kind": "engine", "level": 1}] * (len(tercet.game(name).players) - 1)
            tables.append(person.open(asked, *engines, game=name)["id"])
        for table in tables:
            until(partial(has_come_to, server, table, 12), 120)


@pytest.mark.online
def test_tercet_bot_plays_two_games_at_once_with_clocks(server: Any, bots: Callable[[], Bot]) -> None:
    bot, person = bots(), server.visitor()
    command = [sys.executable, "-m", "tercet", "bot", "--server", str(server.http.base_url), "--token", bot.token]
    command += ["--engine", f"{UGI}", "--seconds", "0.05", "--game", "sanqi"]
    asked, level = {"kind": "bot", "handle": bot.handle}, {"kind": "engine", "level": 1}
    with running(*command):
        wish = {**SMALL, "clock": {"kind": "fischer", "minutes": 5, "increment": 1}}
        tables = [person.open(*seats, **wish)["id"] for seats in ((asked, level), (level, asked))]
        refused = person.open(asked, level, game="sparklies")["id"]
        states = [finished(server, table) for table in tables]
        assert all(state["ply"] > 4 and not state["flagged"] and not state["resigned"] for state in states)
        assert finished(server, refused)["aborted"]


@pytest.mark.online
def test_tercet_bot_comes_back_after_the_line_broke(serve: Serve) -> None:
    server = serve()
    bot, person = Bot(server), server.visitor()
    line = cli.ApiClient(str(server.http.base_url), bot.token)
    player = cli.Bot(line, UGI, ["sanqi"], seconds=0.05)
    threading.Thread(target=player.run, daemon=True).start()
    table = person.open("me", {"kind": "bot", "handle": bot.handle})
    wire = server.wire(table["id"], table["seats"][0]["token"])
    rng = random.Random(3)

    def turn(wire: Any) -> None:
        state = wire.heard[-1]["state"] if wire.heard and "state" in wire.heard[-1] else wire.until("snapshot")["state"]
        while state["mover"] != 0 and not state["over"]:
            state = wire.until("event", "snapshot")["state"]
        if not state["over"]:
            assert wire.act(state["ply"], rng.choice(state["view"]["paths"])[0])["type"] == "ack"

    turn(wire)
    while wire.until("event")["state"]["ply"] < 2:
        pass
    server.restart()
    line._parts = line._parts._replace(netloc=f"127.0.0.1:{server.port}")  # as if it were the same address
    wire = server.wire(table["id"], table["seats"][0]["token"])
    turn(wire)
    until(lambda: has_come_to(server, table["id"], 4))
    player.stop()
    bot.close()


@pytest.mark.online
def test_an_engine_that_dies_is_started_anew_and_gives_up(server: Any, bots: Callable[[], Bot], tmp_path: Path) -> None:
    bot, person = bots(), server.visitor()
    failing = tmp_path / "engine.py"
    failing.write_text(FAILING)
    player = cli.Bot(
        cli.ApiClient(str(server.http.base_url), bot.token), f"{sys.executable} {failing}", [], seconds=0.1
    )
    threading.Thread(target=player.run, daemon=True).start()
    table = person.open({"kind": "bot", "handle": bot.handle}, {"kind": "engine", "level": 1})["id"]
    assert finished(server, table)["resigned"] == [0]
    player.stop()


@pytest.mark.parametrize(
    ("control", "left", "least", "most"),
    [
        (None, 0, 2.0, 2.0),
        ({"kind": "correspondence", "days": 1}, 9e7, 2.0, 2.0),
        ({"kind": "fischer", "minutes": 5, "increment": 2}, 300_000, 2.0, 2.0),
        ({"kind": "fischer", "minutes": 1, "increment": 0}, 30_000, 0.5, 1.5),
        ({"kind": "fischer", "minutes": 1, "increment": 0}, 500, 0.01, 0.06),
        ({"kind": "turn", "seconds": 30}, 30_000, 2.0, 2.0),
        ({"kind": "turn", "seconds": 30}, 3_000, 0.2, 1.5),
        ({"kind": "byoyomi", "minutes": 1, "periods": 2, "seconds": 10}, 10_000, 0.5, 2.0),
    ],
)
def test_the_clock_is_minded(control: Any, left: float, least: float, most: float) -> None:
    state = {"clock": None if control is None else {"left": [left, 1]}}
    assert least <= cli.budget(state, control, 0, 2.0) <= most


def test_bad_words_on_the_command_line() -> None:
    for server, token in (("ftp://x", "t"), ("http://x", ""), ("http://x", "two\nlines")):
        with pytest.raises(tercet.OptionError):
            cli.ApiClient(server, token)
    with pytest.raises(tercet.OptionError):
        cli.Bot(cli.ApiClient("http://x", "t"), UGI, ["chess"])
    with pytest.raises(EngineError):
        cli.bot("http://127.0.0.1:1", "no-such-program", "t", [], 1, 1.0)
