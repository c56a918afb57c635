"""Tables over real sockets."""

import contextlib
import random
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

import tercet
from tercet.server.tables import clients
from tests.server.conftest import Hands, Serve, Wire, play, state_of

ALMOST = "sanqi/4 4/5/2RR2/2R1R2/3R2/5/4 F -"
BLITZ = {"kind": "fischer", "minutes": 3, "increment": 2}


def test_a_game_to_its_end(server: Any) -> None:
    table, wire = server.both()
    watcher = server.wire(table)
    state = wire.state
    assert state["yourSeats"] == [0, 1]
    assert watcher.hear()["table"]["board"]["cells"]
    rng = random.Random(4)
    ply = 0
    while not state["over"]:
        action = rng.choice(state["view"]["paths"])[0]
        play([wire], action, ply)
        event, state, other = wire.last("event"), wire.state, watcher.until("event")["state"]
        assert (event["action"], event["ply"], event["number"]) == (action, ply, ply + 1)
        assert (state["move"]["text"], other["view"]["position"]) == (action, state["view"]["position"])
        assert (other["view"]["paths"], other["yourSeats"]) == ([], [])
        ply += 1
    assert state["result"]
    assert state["view"]["outcome"]["scores"]
    assert (state["mover"], wire.act(ply, "Rd4")["code"]) == (None, "over")
    record = tercet.read(server.http.get(f"/api/tables/{table}/record").text)[0]
    assert (len(record.moves()), str(record.end)) == (ply, state["view"]["position"])


def test_of_two_racing_clicks_exactly_one_passes(server: Any) -> None:
    table = server.open("me", "here")
    wires = [server.wire(table["id"], *table["tokens"]) for _ in range(2)]
    cells = ["a4", "a7", "d7", "g4", "g1", "d1"]
    with ThreadPoolExecutor(2) as pool:
        for ply, cell in enumerate(cells):
            answers = list(pool.map(lambda wire, kind, ply=ply, cell=cell: wire.act(ply, kind + cell), wires, "RY"))
            assert sorted(answer["type"] for answer in answers) == ["ack", "error"]
            assert next(a["code"] for a in answers if a["type"] == "error") == "stale-ply"
    assert state_of(server, table["id"])["ply"] == len(cells)


@pytest.mark.parametrize("restart", [False, True])
def test_reconnecting_closes_the_gap(serve: Serve, restart: bool) -> None:
    """A restart in mid-game keeps everything."""
    server = serve()
    table = server.open("me", "here")
    wire = server.wire(table["id"], *table["tokens"])
    wire.act(0, "Rd4", id="a")
    play([wire], "Yd5 Bc4 Rc3", 1)
    wire.done(type="takeback", ply=3)
    server.restart() if restart else wire.close()
    back = server.wire(table["id"], *table["tokens"], since=1)
    events = [back.until("event") for _ in range(4)]
    assert [event["number"] for event in events] == [2, 3, 4, 5]
    assert (events[0]["action"], events[3]["kind"], events[3]["ply"]) == ("Yd5", "takeback", 3)
    assert (events[2]["state"]["move"]["text"], back.state["ply"]) == ("Rc3", 3)
    assert back.state["view"]["paths"]
    for since in (5, 99, 0):
        fresh = server.wire(table["id"], *table["tokens"], since=since)
        assert (fresh.hear()["type"], len(fresh.state["moves"])) == ("snapshot", 3)
    back.say({"type": "snapshot"})
    assert back.hear()["type"] == "snapshot"
    assert (back.act(0, "Rd4", id="a")["number"], back.act(3, "Rc3")["type"]) == (1, "ack")


def test_an_engine_answers_and_goes_on_after_a_restart(serve: Serve) -> None:
    server = serve(clock=Hands())
    table = server.open("engine", "me", clock=BLITZ)

    def in_turn() -> Wire:
        wire = server.wire(table["id"], table["tokens"][1])
        wire.hear()
        while wire.state["mover"] != 1:
            wire.until("event")
        return wire

    wire = in_turn()
    play([wire], wire.state["view"]["paths"][0][0], wire.state["ply"])
    server.restart()
    wire = in_turn()
    assert wire.state["ply"] == 3
    wire.done(type="takeback")
    assert wire.state["ply"] == 1
    wire.done(type="draw")
    assert [heard["kind"] for heard in wire.heard if heard["type"] == "event"][-2:] == ["offer", "declined"]


def test_two_engines_play_while_somebody_watches(server: Any) -> None:
    wire = server.wire(server.open("engine", "engine", position=ALMOST)["id"])
    wire.hear()
    while wire.state["ply"] < 3 and not wire.state["over"]:
        wire.until("event")


def test_takebacks_and_ways_to_play_are_as_the_game_has_them(server: Any) -> None:
    games = {game["name"]: game for game in server.http.get("/api/games").json()}
    rules = {name: game["takebacks"] for name, game in games.items()}
    assert rules == {"sanqi": "consent", "triplicity": "own", "sparklies": "consent"}
    for wish, rule in (({}, "own"), ({"takebacks": True}, "consent"), ({"takebacks": False}, "off")):
        table = server.open("me", "here", "here", game="triplicity", **wish)["id"]
        assert state_of(server, table)["takebackRule"] == rule
    assert state_of(server, server.open("me", "here")["id"])["takebackRule"] == "consent"
    assert [preset["id"] for preset in games["triplicity"]["presets"]] == ["solitaire", "castle"]
    for name, game in games.items():
        for preset in game["presets"]:
            seats = ["me"] * len(tercet.game(name, **preset["options"]).players)
            table = server.open(*seats, game=name, options=preset["options"])["id"]
            assert server.http.get(f"/api/tables/{table}").status_code == 200


# What a message may not hold is for `test_decoding` to say.
GARBAGE: list[Any] = ["", "null", "[" * 60_000, b"\x00\xff"]
GARBAGE += [f'{{"type":"act","id":"a","ply":{ply},"action":"Rd4"}}' for ply in ("1e999", "9" * 5000)]
GARBAGE += ['{"type":"act","id":"\\ud800","ply":0,"action":"Rd4"}']


def test_garbage_is_answered_with_a_reason(server: Any) -> None:
    _table, wire = server.both()
    for garbage in GARBAGE:
        wire.say(garbage)
        answer = wire.hear()
        assert (answer["type"], answer["code"], bool(answer["why"])) == ("error", "bad-message", True), garbage
    wire.say({"type": "ping"})
    assert wire.hear() == {"type": "pong"}
    assert wire.act(0, "Rd4")["type"] == "ack"


@pytest.mark.online
def test_big_messages(server: Any) -> None:
    table, wire = server.both()
    wire.say("x" * 100_000)
    assert wire.hear()["code"] == "too-large"
    with contextlib.suppress(ConnectionClosed):
        wire.say("x" * 40_000_000)
    assert wire.until_closed() in (1006, 1009)
    assert server.http.get(f"/api/tables/{table}").status_code == 200


@pytest.mark.online
def test_a_slow_watcher_is_dropped_and_holds_nobody_up(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "MAX_QUEUED_COMMITS", 4)
    server = serve(send_buffer=4096)
    table = server.open("me", "here", game="sanqi", options={"side": 8})
    with socket.create_connection(("127.0.0.1", server.port)) as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow = server.wire(table["id"], *table["tokens"], sock=plain, compression=None, max_queue=1)
        wire = server.wire(table["id"], *table["tokens"])
        cells = list(dict.fromkeys(path[1][1] for path in wire.hear()["state"]["view"]["paths"]))
        random.Random(1).shuffle(cells)
        play([wire], " ".join("RYB"[ply % 3] + cells[ply] for ply in range(25)))
        assert slow.until_closed() in (1006, 1013)
        assert sum(heard["type"] == "event" for heard in slow.heard) < 25


def test_seat_tokens_are_long_and_not_kept_as_they_are(serve: Serve) -> None:
    server = serve()
    table = server.open("me", "friend")
    assert all(len(token) >= 32 for token in table["tokens"])
    assert re.fullmatch(r"[0-9a-f]{16}", table["id"])
    server.stop()
    kept = server.kept()
    assert table["id"].encode() in kept
    assert not any(token.encode() in kept for token in table["tokens"])
    server.start()
