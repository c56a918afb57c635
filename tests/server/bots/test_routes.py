"""Bots over the net: streams, acting, the example, ``tercet bot``."""

from __future__ import annotations

import contextlib
import functools
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

import tercet
from tercet.cli import engines as cli
from tercet.engines import EngineError
from tercet.server.api import bots as routes
from tests.server.conftest import CLIENT, Lines, Serve, Visitor, Wire, state_of
from tests.support.waiting import until

ROOT = Path(__file__).parents[3]
UGI = f"{sys.executable} -m tercet ugi"
FAILING = """
import sys
for line in sys.stdin:
    print({"ugi": "ugiok", "isready": "readyok"}.get(line.strip(), ""), flush=True)
    if line.startswith("game"):
        sys.exit(1)
"""


class Bot(Visitor):
    """A bot's account and its program."""

    def __init__(self, server: Any) -> None:
        super().__init__(server, "bot")
        assert self.http.post("/api/me/bot").status_code == 200
        self.token = self.http.post("/api/tokens", json={"name": "test"}).json()["token"]
        headers = {"authorization": f"Bearer {self.token}"}
        self.http = httpx.Client(base_url=str(self.server.http.base_url), headers=headers, **CLIENT)
        self._lines = contextlib.ExitStack()

    def listen(self, game: str = "") -> Lines:
        """What happens to it, or in one game."""
        path = f"/api/bot/games/{game}/stream" if game else "/api/bot/stream"
        return self._lines.enter_context(contextlib.closing(Lines(self.http, path)))

    def post(self, path: str, **body: Any) -> httpx.Response:
        return self.http.post(f"/api/bot/{path}", json=body or None)

    def challenge(self, other: Bot, **wish: Any) -> str:
        """A table to which it asks another bot; its id."""
        return str(self.open("me", {"kind": "bot", "handle": other.handle}, **wish)["id"])

    def meet(self, other: Bot, **wish: Any) -> str:
        """A table that another bot has accepted; its id."""
        table = self.challenge(other, **wish)
        assert other.post(f"challenges/{table}/accept").status_code == 200
        return table

    def close(self) -> None:
        self._lines.close()
        self.http.close()


def challenged(server: Any, bot: Bot, **wish: Any) -> tuple[str, Wire]:
    """A table at which a person challenges a bot, and their socket there, after its snapshot."""
    table = server.visitor().open("me", {"kind": "bot", "handle": bot.handle}, **wish)
    wire = server.wire(table["id"], table["tokens"][0])
    wire.until("snapshot")
    return table["id"], wire


@pytest.fixture
def bots(server: Any) -> Iterator[Callable[[], Bot]]:
    with contextlib.ExitStack() as made:
        yield lambda: made.enter_context(contextlib.closing(Bot(server)))


def play(bot: Bot, table: str) -> list[dict[str, Any]]:
    """Play at random to the end; the states that it heard of."""
    rng = random.Random(bot.handle)
    lines = bot.listen(table)
    full = lines.until("gameFull")
    states: list[dict[str, Any]] = [full["state"]]
    while not states[-1]["over"]:
        if states[-1]["yourTurn"]:
            now = bot.http.get(f"/api/bot/games/{table}/legal").json()
            assert (now["position"], now["mover"]) == (states[-1]["position"], *full["yourSeats"])
            answer = bot.post(f"games/{table}/act", ply=now["ply"], action=rng.choice(now["legal"]))
            assert answer.status_code == 200, answer.text
        states.append(lines.until("gameState"))
    return states


def test_bot_against_bot(bots: Callable[[], Bot]) -> None:
    white, black = bots(), bots()
    table = white.challenge(black)
    first, second = white.listen(), black.listen()
    assert second.until("challenge", table=table, game="sanqi", seat=1)["seats"][0]["handle"] == white.handle
    assert black.post(f"challenges/{table}/accept").json() == {"table": table, "seat": 1}
    assert first.until("gameStart")["table"] == second.until("gameStart")["table"] == table
    with ThreadPoolExecutor(2) as pool:
        states = list(pool.map(play, (white, black), (table, table)))
    assert states[0][-1]["outcome"]["reason"]
    assert first.until("gameFinish")["table"] == second.until("gameFinish")["table"] == table
    assert first.heard == ["gameStart", "gameFinish"], "not while the other has not accepted"
    for told in states:  # what each was told, put together, is the game
        moves: list[str] = []
        for state in told:
            moves = moves[: state["since"]] + state["moves"]
            assert len(moves) == state["ply"]
        position = functools.reduce(tercet.Position.play, moves, tercet.game("sanqi", side=4).start())
        assert str(position) == states[0][-1]["position"] == told[-1]["position"]


def test_a_bot_against_somebody_at_a_screen(server: Any, bots: Callable[[], Bot]) -> None:
    bot = bots()
    events = bot.listen()
    table, wire = challenged(server, bot, chat=True)
    game = f"games/{table}"
    assert (wire.state["waiting"], wire.act(0, "Rd4")["code"]) == ([1], "not-begun")
    assert events.until("challenge")["table"] == table
    bot.post(f"challenges/{table}/accept")
    assert wire.until("event")["kind"] == "sit"
    lines = bot.listen(table)
    assert lines.until("gameFull")["yourSeats"] == [1]
    wire.done(type="act", ply=0, action="Rd4")
    state = lines.until("gameState", yourTurn=True)
    assert (state["ply"], state["since"], state["moves"]) == (1, 0, ["Rd4"])
    for _ in range(2):  # it is done once
        assert bot.post(f"{game}/act", ply=1, action="Yd5", id="mine").status_code == 200
    wire.until("event", action="Yd5")
    assert (wire.state["ply"], wire.state["mover"], wire.state["seats"][1]["kind"]) == (2, 0, "bot")
    assert bot.post(f"{game}/talk", text="Good luck <b>").status_code == 200
    assert wire.until("talk")["text"] == "Good luck <b>"
    wire.ask(type="say", room="players", text="And to you")
    assert lines.until("talk", seat=0)["text"] == "And to you"
    wire.ask(type="takeback")
    while not (offers := lines.until("gameState")["offers"]):
        pass
    assert [offer["what"] for offer in offers] == ["takeback"]
    bot.post(f"{game}/answer", what="takeback", yes=True)
    back = lines.until("gameState", ply=0)
    assert (back["since"], back["moves"]) == (0, [])
    wire.act(0, "Bd4")
    lines.until("gameState", ply=1)
    bot.post(f"{game}/act", ply=1, actions=["Ya4"])
    assert bot.post(f"{game}/resign").is_success
    assert lines.until("gameState", over=True)["outcome"]["reason"] == "resignation"
    assert events.until("gameFinish")["table"] == table


def test_a_declined_challenge_and_who_may_answer_one(server: Any, bots: Callable[[], Bot]) -> None:
    bot, other = bots(), bots()
    events = bot.listen()
    table, wire = challenged(server, bot)
    events.until("challenge")
    assert {other.post(f"challenges/{table}/{what}").status_code for what in ("accept", "decline")} == {404}
    asked = other.http.get(f"/api/bot/games/{table}/stream"), other.post(f"games/{table}/act", ply=0, action="Rd4")
    assert {one.json()["error"]["code"] for one in asked} == {"not-your-seat"}
    assert bot.post(f"challenges/{table}/decline").status_code == 200
    event = wire.until("event")
    assert (event["kind"], event["reason"], event["state"]["over"]) == ("abort", "declined", True)
    assert events.until("challengeCanceled")["table"] == table
    assert bot.post(f"challenges/{table}/accept").status_code in (404, 409)
    person = server.visitor()
    person.open("me", "here")  # from now on the browser has a cookie
    assert person.http.get("/api/bot/stream").json()["error"]["code"] == "not-allowed"
    for headers in ({}, {"authorization": "Bearer tercet_" + 43 * "x"}):
        assert httpx.get(f"{server.http.base_url}/api/bot/stream", headers=headers).status_code == 401


def test_what_a_bot_does_wrong_is_told(bots: Callable[[], Bot]) -> None:
    one, two = bots(), bots()
    table = one.meet(two)

    def code(**body: Any) -> str:
        answer = one.post(f"games/{table}/act", **body)
        assert answer.status_code in (400, 403, 409)
        return str(answer.json()["error"]["code"])

    assert (code(ply=0, action="Rz99"), code(ply=3, action="Rd4")) == ("illegal-action", "stale-ply")
    for wrong in ({}, {"action": "Rd4", "actions": ["Rd4"]}, {"action": "Rd4", "id": "no spaces"}):
        assert code(ply=0, **wrong) == "bad-message"
    assert two.post(f"games/{table}/act", ply=0, action="Rd4").json()["error"]["code"] == "not-your-turn"
    assert one.post(f"games/{table}/explode").status_code == 400
    assert one.http.get("/api/bot/games/0123456789abcdef/legal").status_code == 404


def test_a_bot_that_dies_in_its_turn_goes_on_where_it_was(bots: Callable[[], Bot]) -> None:
    one, two = bots(), bots()
    table = one.meet(two, clock={"kind": "fischer", "minutes": 5, "increment": 2})
    other = two.listen(table)
    one.post(f"games/{table}/act", ply=0, action="Rd4")
    other.until("gameState", ply=1)
    other.close()  # it dies in its turn
    two.post(f"games/{table}/act", ply=1, action="Yd5")
    one.post(f"games/{table}/act", ply=2, action="Bd3")
    assert two.listen().until("gameStart")["table"] == table  # sent again to a bot that reconnects
    full = two.listen(table).until("gameFull")
    assert (full["state"]["moves"], full["state"]["yourTurn"]) == (["Rd4", "Yd5", "Bd3"], True)
    assert (full["control"]["kind"], full["state"]["clock"]["running"]) == ("fischer", 1)


def test_silent_streams_give_signs_of_life_and_end(bots: Callable[[], Bot], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.server.api.bots.KEEPALIVE_SECONDS", 0.3)
    lines = bots().listen()
    assert [next(lines.lines) for _ in range(2)] == ["", ""]
    # The count of each bot's streams kept a zero for every bot that ever listened.
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


def program(bot: Bot, engine: str) -> tuple[cli.ApiClient, cli.Bot]:
    line = cli.ApiClient(str(bot.http.base_url), bot.token)
    player = cli.Bot(line, engine, ["sanqi"], seconds=0.05)
    threading.Thread(target=player.run, daemon=True).start()
    return line, player


def finished(server: Any, table: str, ply: int = 1000) -> Any:
    """The table's state when the game is over or that many actions were played."""
    return until(lambda: ((now := state_of(server, table))["over"] or now["ply"] >= ply) and now, 120)


@pytest.mark.online
def test_the_example_plays_every_game(server: Any, bots: Callable[[], Bot]) -> None:
    assert (ROOT / "examples" / "bot.py").read_text().count("\n") < 60
    bot, person = bots(), server.visitor()
    asked, engine = {"kind": "bot", "handle": bot.handle}, {"kind": "engine", "level": 1}
    with running(sys.executable, str(ROOT / "examples" / "bot.py"), str(server.http.base_url), bot.token):
        engines = {name: [engine] * (len(tercet.game(name).players) - 1) for name in tercet.games()}
        tables = [person.open(asked, *others, game=name)["id"] for name, others in engines.items()]
        for table in tables:
            finished(server, table, 12)


@pytest.mark.online
def test_tercet_bot_plays_two_games_at_once_with_clocks(server: Any, bots: Callable[[], Bot]) -> None:
    bot, person = bots(), server.visitor()
    command = [sys.executable, "-m", "tercet", "bot", "--server", str(server.http.base_url), "--token", bot.token]
    command += ["--engine", f"{UGI}", "--seconds", "0.05", "--game", "sanqi"]
    asked, level = {"kind": "bot", "handle": bot.handle}, {"kind": "engine", "level": 1}
    with running(*command):
        clock = {"kind": "fischer", "minutes": 5, "increment": 1}
        tables = [person.open(*seats, clock=clock)["id"] for seats in ((asked, level), (level, asked))]
        refused = person.open(asked, level, game="sparklies")["id"]
        states = [finished(server, table) for table in tables]
        assert all(state["ply"] > 4 and not state["flagged"] and not state["resigned"] for state in states)
        assert finished(server, refused)["aborted"]


@pytest.mark.online
def test_tercet_bot_comes_back_after_the_line_broke(serve: Serve) -> None:
    server = serve()
    bot, person = Bot(server), server.visitor()
    line, player = program(bot, UGI)
    table = person.open("me", {"kind": "bot", "handle": bot.handle})
    rng = random.Random(3)

    def turn() -> Wire:
        wire = server.wire(table["id"], table["tokens"][0])
        wire.until("snapshot")
        while wire.state["mover"] != 0 and not wire.state["over"]:
            wire.until("event", "snapshot")
        if not wire.state["over"]:
            wire.done(type="act", ply=wire.state["ply"], action=rng.choice(wire.state["view"]["paths"])[0])
        return wire

    turn().until("event", seat=1)
    events = bot.listen()
    server.restart()
    with contextlib.suppress(httpx.HTTPError):
        list(events.lines)  # the stream ends with its server
    line._parts = line._parts._replace(netloc=f"127.0.0.1:{server.port}")  # as if it were the same address
    turn()
    finished(server, table["id"], 4)
    player.stop()
    bot.close()


@pytest.mark.online
def test_an_engine_that_dies_is_started_anew_and_gives_up(server: Any, bots: Callable[[], Bot], tmp_path: Path) -> None:
    bot, person = bots(), server.visitor()
    failing = tmp_path / "engine.py"
    failing.write_text(FAILING)
    _, player = program(bot, f"{sys.executable} {failing}")
    table = person.open({"kind": "bot", "handle": bot.handle}, {"kind": "engine", "level": 1})["id"]
    assert finished(server, table)["resigned"] == [0]
    player.stop()


CLOCKS: list[tuple[Any, float, float, float]] = [  # a control, what is left, and the least and the most that is used
    (None, 0, 2.0, 2.0),
    ({"kind": "correspondence", "days": 1}, 9e7, 2.0, 2.0),
    ({"kind": "fischer", "minutes": 5, "increment": 2}, 300_000, 2.0, 2.0),
    *(({"kind": "fischer", "minutes": 1, "increment": 0}, *of) for of in ((30_000, 0.5, 1.5), (500, 0.01, 0.06))),
    *(({"kind": "turn", "seconds": 30}, *of) for of in ((30_000, 2.0, 2.0), (3_000, 0.2, 1.5))),
    ({"kind": "byoyomi", "minutes": 1, "periods": 2, "seconds": 10}, 10_000, 0.5, 2.0),
]


def test_the_clock_is_minded() -> None:
    for control, left, least, most in CLOCKS:
        state = {"clock": None if control is None else {"left": [left, 1]}}
        assert least <= cli.budget(state, control, 0, 2.0) <= most, control


def test_bad_words_on_the_command_line() -> None:
    for server, token in (("ftp://x", "t"), ("http://x", ""), ("http://x", "two\nlines")):
        with pytest.raises(tercet.OptionError):
            cli.ApiClient(server, token)
    with pytest.raises(tercet.OptionError):
        cli.Bot(cli.ApiClient("http://x", "t"), UGI, ["chess"])
    with pytest.raises(EngineError):
        cli.bot("http://127.0.0.1:1", "no-such-program", "t", [], 1, 1.0)
