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
from tests.server.conftest import Serve, Wire, play, state_of

ALMOST = "sanqi/4 4/5/2RR2/2R1R2/3R2/5/4 F -"


def test_a_game_to_its_end(server: Any) -> None:
    table, wire = server.both()
    watcher = server.wire(table)
    state = wire.state
    assert state["yourSeats"] == [0, 1]
    assert watcher.hear()["table"]["board"]["cells"]
    rng = random.Random(4)
    ply = 0
    while not state["over"]:
        assert len(state["view"]["paths"]) > 0
        action = rng.choice(state["view"]["paths"])[0]
        play([wire], action, ply)
        event = wire.last("event")
        assert (event["action"], event["ply"], event["number"]) == (action, ply, ply + 1)
        state, other = wire.state, watcher.until("event")["state"]
        assert state["move"]["text"] == action
        assert other["view"]["position"] == state["view"]["position"]
        assert (other["view"]["paths"], other["yourSeats"]) == ([], [])
        ply += 1
    assert state["result"]
    assert state["view"]["outcome"]["scores"]
    assert (state["mover"], wire.act(ply, "Rd4")["code"]) == (None, "over")
    record = tercet.read(server.http.get(f"/api/tables/{table}/record").text)[0]
    assert (len(record.moves()), str(record.end)) == (ply, state["view"]["position"])


def test_a_resend_is_acknowledged_again_and_not_played_twice(server: Any) -> None:
    table, wire = server.both()
    first = wire.act(0, "Rd4", id="click-1")
    assert first == {"type": "ack", "id": "click-1", "number": 1}
    assert (wire.act(0, "Rd4", id="click-1"), wire.act(1, "Yd5", id="click-1")) == (first, first)
    assert (state_of(server, table)["number"], state_of(server, table)["ply"]) == (1, 1)


def test_somebody_else_s_ids_do_not_swallow_mine(server: Any) -> None:
    _table, (mine, theirs) = server.friends()
    mine.done(type="act", ply=0, action="Rd4", id="x")
    assert theirs.act(1, "Yd5", id="x") == {"type": "ack", "id": "x", "number": 2}


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


def test_reconnecting_closes_the_gap(server: Any) -> None:
    table = server.open("me", "here")
    wire = server.wire(table["id"], *table["tokens"])
    play([wire], "Rd4 Yd5 Bc4 Rc3")
    wire.close()
    back = server.wire(table["id"], *table["tokens"], since=1)
    assert [back.until("event")["number"] for _ in range(3)] == [2, 3, 4]
    assert (back.heard[0]["action"], back.state["move"]["text"]) == ("Yd5", "Rc3")
    assert back.state["view"]["paths"]
    for since in (4, 99, 0):
        fresh = server.wire(table["id"], *table["tokens"], since=since)
        assert (fresh.hear()["type"], len(fresh.state["moves"])) == ("snapshot", 4)
    back.say({"type": "snapshot"})
    assert back.hear()["type"] == "snapshot"


def test_a_restart_in_mid_game_keeps_everything(serve: Serve) -> None:
    server = serve()
    table = server.open("me", "here")
    wire = server.wire(table["id"], *table["tokens"])
    wire.act(0, "Rd4", id="a")
    wire.act(1, "Yd5", id="b")
    wire.ask(type="takeback", ply=1)
    server.restart()
    wire = server.wire(table["id"], *table["tokens"], since=2)
    event = wire.hear()
    assert (event["kind"], event["ply"], event["number"]) == ("takeback", 1, 3)
    assert (wire.act(0, "Rd4", id="a")["number"], wire.act(1, "Bd5")["type"]) == (1, "ack")


def test_an_engine_answers_and_goes_on_after_a_restart(serve: Serve) -> None:
    server = serve()
    table = server.open("engine", "me")

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


def test_what_must_not_be_possible(server: Any) -> None:
    table, (mine, theirs) = server.friends()
    watcher, forger = server.wire(table["id"]), server.wire(table["id"], "x" * 32)
    assert forger.hear()["code"] == "not-your-seat"
    assert theirs.act(0, "Rd4")["code"] == "not-your-turn"
    for stranger in (watcher, forger):
        assert stranger.act(0, "Rd4")["code"] == "not-your-seat"
        for asked in ({"type": "resign", "seat": 0}, {"type": "takeback", "ply": 0}, {"type": "draw", "seat": 0}):
            assert stranger.ask(**asked)["code"] == "not-your-seat", asked
    for kind in ("resign", "draw"):
        assert mine.ask(type=kind, seat=1)["code"] == "not-your-seat", kind
    other = server.wire(server.open("me", "friend")["id"], table["tokens"][0])
    assert (other.hear()["code"], other.act(0, "Rd4")["code"]) == ("not-your-seat", "not-your-seat")
    assert mine.act(0, "Rz9")["code"] == "illegal-action"
    assert state_of(server, table["id"])["number"] == 0
    told = server.http.get(f"/api/tables/{table['id']}").text
    assert not any(token in told for token in table["tokens"])


def test_offers_between_friends(server: Any) -> None:
    table, (mine, theirs) = server.friends()
    mine.act(0, "Rd4")
    mine.done(type="takeback")
    while theirs.until("event")["kind"] != "offer":
        pass
    assert theirs.state["offers"] == [{"seat": 0, "what": "takeback", "ply": 0, "awaited": [1]}]
    theirs.done(type="answer", what="takeback", yes=True)
    assert theirs.state["ply"] == 0
    theirs.done(type="draw")
    mine.done(type="answer", what="draw", yes=True)
    state = state_of(server, table["id"])
    assert (state["over"], state["view"]["scene"]["state"]) == (True, "over")
    assert "agreement" in state["result"]
    record = server.http.get(f"/api/tables/{table['id']}/record").text
    assert '[Result "1/2-1/2"]' in record
    assert tercet.read(record)[0].result == "1/2-1/2"


def test_a_game_of_three_after_a_resignation_still_has_a_record(server: Any) -> None:
    table, wire = server.both("me", "here", "here", game="triplicity")
    for step in range(6):
        if step == 3:
            wire.done(type="resign", seat=1)
        elif wire.state["mover"] is not None:
            play([wire], wire.state["view"]["paths"][0][0], wire.state["ply"])
    assert wire.state["resigned"] == [1]
    record = server.http.get(f"/api/tables/{table}/record")
    assert record.status_code == 200
    moves = tercet.read(record.text)[0].moves()
    assert (moves[3], len(moves)) == ("resign=Black", 6)


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
GARBAGE: list[Any] = [
    "",
    "null",
    '{"type":"act","id":"\\ud800","ply":0,"action":"Rd4"}',
    '{"type":"act","id":"a","ply":1e999,"action":"Rd4"}',
    '{"type":"act","id":"a","ply":' + "9" * 5000 + ',"action":"Rd4"}',
    "[" * 60_000,
    b"\x00\xff",
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=lambda text: repr(text)[:40])
def test_garbage_is_answered_with_a_reason(server: Any, garbage: Any) -> None:
    _table, wire = server.both()
    wire.say(garbage)
    answer = wire.hear()
    assert (answer["type"], answer["code"]) == ("error", "bad-message")
    assert answer["why"]
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


@pytest.mark.online
def test_two_servers_on_one_database_never_write_the_same_event(serve: Serve) -> None:
    server = serve()
    table = server.open("me", "here")
    here = server.wire(table["id"], *table["tokens"])
    other = server.another()
    there = other.wire(table["id"], *table["tokens"])
    assert there.hear()["state"]["ply"] == 0
    here.done(type="act", ply=0, action="Rd4", id="mine")
    assert there.act(0, "Yd5", id="yours")["code"] == "stale-ply"
    assert there.heard[-2]["state"]["ply"] == 1  # it was told what it had missed
    assert there.act(0, "Rd4", id="mine") == {"type": "ack", "id": "mine", "number": 1}
    assert there.act(1, "Yd5")["number"] == 2
    other.stop()
