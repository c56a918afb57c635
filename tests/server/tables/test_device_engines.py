"""Engines at tables, on the server and on a player's device; hints, gestures, explorations and reasons."""

from typing import Any

import pytest

import tercet
from tercet.core.game import Position
from tercet.server.engines import pool
from tercet.server.store.lease import Lease
from tercet.server.tables import engine_seats
from tercet.server.tables.engine_seats import EngineSeats
from tests.server.conftest import Serve, Serving, Wire, play, state_of
from tests.server.people.browser import listen
from tests.support.waiting import until

MOVES = ("Rd4", "Rd5")
RATED = {"rated": True, "clock": {"kind": "fischer", "minutes": 5, "increment": 3}}


@pytest.fixture
def server(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A server whose own engines play the last legal action; ``server.thought`` are the positions they were given."""
    server: Any = serve(engines=0)
    server.thought = []

    async def move(_owner: str, position: Position, *_: Any) -> str:
        server.thought.append(str(position))
        return str(position.legal_actions[len(position.legal_actions) - 1])

    monkeypatch.setattr(server.app.state.services.registry.engine_pool, "move", move)
    return server


def lend(*wires: Wire) -> None:
    """Say that each client's device can think, and wait until the server knows."""
    for wire in wires:
        wire.say({"type": "thinker", "can": True})
        wire.say({"type": "ping"})
        wire.until("pong")


def lent(server: Serving, level: int = 1, **wish: Any) -> Wire:
    """A player at a new table with an engine of this level, whose device can think."""
    _, wire = server.both("me", {"kind": "engine", "level": level}, **wish)
    lend(wire)
    return wire


def asked(wire: Wire, ply: int = 0, n: int = 0) -> tuple[dict[str, Any], str, str]:
    """What the device is asked after the player's move, as question ``n``; the first and the last legal answer."""
    play([wire], MOVES[ply // 2], ply)
    question = wire.last("think", n=n or ply // 2 + 1)
    actions = tercet.parse(question["position"]).legal_actions
    return question, str(actions[0]), str(actions[len(actions) - 1])


def played(wire: Wire, ply: int = 1) -> str:
    return str(wire.last("event", kind="action", ply=ply)["action"])


def answer(wire: Wire, question: dict[str, Any], action: str | None) -> None:
    wire.say({"type": "thought", "n": question["n"], "action": action})


def test_the_device_chooses_and_the_server_does_not_think(server: Any) -> None:
    wire = lent(server)
    for ply in (0, 2):
        question, first, _ = asked(wire, ply)
        assert (question["seat"], question["level"]) == (1, 1)
        answer(wire, question, first)
        assert played(wire, ply + 1) == first
    assert server.thought == []
    # The highest level takes time instead of nodes, and would be weaker on a slower device.
    wire = lent(server, level=10)
    play([wire], MOVES[0])
    played(wire)
    assert (len(server.thought), any(one["type"] == "think" for one in wire.heard)) == (1, False)


@pytest.mark.parametrize("bad", ["Yz9", "Rd4", "resign", None])
def test_the_server_thinks_after_an_illegal_answer_or_a_refusal(server: Any, bad: str | None) -> None:
    """The device is not asked again until it is offered again."""
    wire = lent(server)
    question, _, last = asked(wire)
    answer(wire, question, bad)
    assert played(wire) == last
    play([wire], MOVES[1], 2)
    played(wire, 3)
    assert (len(server.thought), sum(one["type"] == "think" for one in wire.heard)) == (2, 1)
    lend(wire)
    wire.done(type="takeback", ply=2, at=4)
    asked(wire, 2)


def test_the_server_thinks_where_no_answer_comes_in_time(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer that comes too late, and one with a number of the past, change nothing."""
    monkeypatch.setattr(engine_seats, "DEVICE_SECONDS", 0.1)
    wire = lent(server)
    question, _, last = asked(wire)
    assert played(wire) == last
    monkeypatch.setattr(engine_seats, "DEVICE_SECONDS", 20.0)
    lend(wire)
    again, first, last = asked(wire, 2)
    for one, action in ((question, first), ({"n": 0}, first), ({"n": 99}, first), (again, last), (again, first)):
        answer(wire, one, action)
    assert played(wire, 3) == last
    wire.done(type="resign")
    assert len(server.thought) == 1
    # An engine with a clock keeps most of its time.
    monkeypatch.setattr(engine_seats, "DEVICE_SECONDS", 600.0)
    wire = lent(server, clock={"kind": "turn", "seconds": 4})
    assert asked(wire)[2] == played(wire)


@pytest.mark.parametrize("leaves", [True, False])
def test_the_server_thinks_after_the_client_leaves_or_withdraws_its_device(server: Any, leaves: bool) -> None:
    table = server.open("me", "engine")
    other, wire = (server.wire(table["id"], table["tokens"][0]) for _ in range(2))
    other.hear()
    lend(wire)
    _, _, last = asked(wire)
    wire.close() if leaves else wire.say({"type": "thinker", "can": False})
    assert played(other) == last


def test_the_device_offered_last_is_asked_and_no_other_may_answer(server: Any) -> None:
    table = server.open("me", "engine")
    other, wire, watcher = (server.wire(table["id"], *table["tokens"][:seats]) for seats in (1, 1, 0))
    lend(other, wire, watcher)
    question, first, last = asked(wire)
    for one in (other, watcher):
        answer(one, question, last)
        one.say({"type": "ping"})
        one.until("pong")
    answer(wire, question, first)
    assert played(wire) == first
    assert not any(one["type"] == "think" for one in other.heard + watcher.heard)


def test_a_takeback_or_a_resignation_while_the_device_thinks_drops_its_answer(server: Any) -> None:
    wire = lent(server)
    question, first, _ = asked(wire)
    wire.done(type="takeback", ply=0, at=1)
    answer(wire, question, first)
    again, first, last = asked(wire, n=2)
    answer(wire, question, last)
    answer(wire, again, first)
    assert played(wire) == first
    wire = lent(server)
    question, first, _ = asked(wire)
    wire.done(type="resign")
    answer(wire, question, first)
    wire.say({"type": "snapshot"})
    state = wire.until("snapshot")["state"]
    assert (state["over"], state["ply"], server.thought) == (True, 1, [])


@pytest.mark.parametrize("other", ["here", "friend"])
def test_with_several_people_the_server_thinks(server: Any, other: str) -> None:
    """Also where both seats are one person's."""
    _, wires = server.friends("me", other, "engine", game="triplicity")
    lend(*wires)
    position = tercet.parse(wires[0].state["view"]["position"])
    for ply in range(60):
        if server.thought:
            break
        assert position.mover in (0, 1)
        action = position.legal_actions[0]
        play([wires[position.mover]], str(action), ply)
        position = position.play(action)
    until(lambda: server.thought, what="the server's engine did not think")
    assert not any(one["type"] == "think" for wire in wires for one in wire.heard)


def test_an_engine_moves_when_its_process_is_sure_again(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has chosen while the process did not know whether it is still the one that acts is not forgotten."""
    server = serve(engines=0)
    _, wire = server.both("me", "engine", clock={"kind": "turn", "seconds": 600})
    registry = server.app.state.services.registry
    asked, unsure = list[bool](), list[bool]()

    def is_sure(_lease: Lease) -> bool:
        asked.append(not unsure)
        return not unsure

    async def move(_owner: str, position: Position, *_: Any) -> str:
        unsure.append(True)
        return str(position.legal_actions[0])

    monkeypatch.setattr(Lease, "is_sure", property(is_sure))
    monkeypatch.setattr(registry.engine_pool, "move", move)
    play([wire], "Rd4")
    until(lambda: False in asked, what="the engine did not try to move")
    unsure.clear()
    wire.until("event", seat=1)


def ask(server: Serving, table: dict[str, Any], strength: str = "place", seat: int = 0, **more: Any) -> Any:
    token = table["tokens"][seat]
    query = f"?seat={token}" if token else ""
    return server.http.post(f"/api/tables/{table['id']}/hint{query}", json={"strength": strength, **more}).json()


def test_three_strengths_of_one_move(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "HINT_SECONDS", 0.05)
    table, (wire,) = server.friends("me", "engine")
    place, piece, move = (ask(server, table, strength) for strength in ("place", "piece", "move"))
    assert (place["action"], piece["action"], place["ply"]) == (None, None, 0)
    (where,) = move["marks"]
    assert where["cells"][0] in move["action"]
    assert set(where["cells"]) < set(place["marks"][0]["cells"])
    play([wire], move["action"])


def test_the_strongest_hint_names_the_rest_of_the_turn(server: Serving) -> None:
    """In Sparklies it named the claim alone, and after another claim nothing could be asked until that was sent."""
    table = server.open("me", "engine", game="sparklies", options={"board": "4x4"})
    claim = ask(server, table, "move")
    ping, action = claim["then"][0], claim["action"]
    assert (claim["says"][:6], claim["why"][-1], ping["says"][:5]) == ("Claim ", ".", "Ping ")
    assert " p " in ping["position"]
    assert ask(server, table, "place")["then"] == []
    here = ask(server, table, "move", moves=[action])
    assert (here["ply"], here["position"], here["says"]) == (1, ping["position"], ping["says"])
    assert ask(server, table, "move", moves=[action, action])["error"]["code"] == "illegal-action"
    over = ask(server, table, "move", moves=[action, f"{action[1:]}=R"])
    assert over["error"]["why"] == "These moves end your turn."


def test_nobody_is_helped_against_people(server: Serving) -> None:
    assert ask(server, server.open("me", "here"))["error"]["code"] == "not-possible"
    table = server.open("me", "friend", "engine", game="triplicity", options={})
    assert ask(server, table)["error"]["code"] == "not-possible"
    for person, opened, key, said in (
        (server.visitor(), table, "code", "not-your-seat"),
        (rated := server.visitor("ann"), rated.open("me", "open", **RATED), "why", "Rated games have no hints."),
    ):
        answer = person.http.post(f"/api/tables/{opened['id']}/hint", json={"strength": "place"})
        assert answer.json()["error"][key] == said


def test_only_who_is_to_move_is_helped(server: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EngineSeats, "wake", lambda _seats: None)  # it never moves
    assert ask(server, server.open("engine", "me"), seat=1)["error"]["code"] == "not-your-turn"
    table, (wire,) = server.friends("me", "engine")
    assert ask(server, table, "everything")["error"]["code"] == "bad-message"
    wire.done(type="resign", seat=0)
    assert ask(server, table)["error"]["code"] == "over"


@pytest.mark.parametrize("wish", [RATED, {"explore": False, "public": True}], ids=["rated", "agreed"])
def test_all_explorations_are_closed_in_ones_rated_game(server: Serving, wish: dict[str, Any]) -> None:
    """Also at a table that is played without explorations; other games may still be explored."""
    table, (ann, bob) = server.meeting("ann", "bob", game="sanqi", options={"side": 5}, **wish)
    state = state_of(ann, table)
    assert state["explore"] is False
    for question in ("one-away", "pivots", "trapped"):
        asked = {"position": state["view"]["position"], "id": question}
        for player in (ann, bob):
            assert player.http.post("/api/explore", json=asked).json()["error"]["code"] == "not-possible"
        assert "marks" in server.visitor().http.post("/api/explore", json=asked).json()
    usual = ann.open("me", "open", game="sanqi", options={"side": 6}, public=True)["id"]
    waiting = {game["id"]: game["explore"] for game in server.visitor().http.get("/api/lobby").json()["open"]}
    state = state_of(ann, usual)
    assert (waiting[usual], state["explore"]) == (True, True)
    asked = {"position": state["view"]["position"], "id": "one-away"}
    assert "marks" in ann.http.post("/api/explore", json=asked).json()


def test_the_engine_is_closed_for_a_position_of_ones_rated_game(server: Serving) -> None:
    """ "Analyse from here" in the menu of a rated game showed the engine's best moves there."""
    table, (ann, bob) = server.meeting("ann", "bob", **RATED)
    position = state_of(ann, table)["view"]["position"]
    for player, refused in ((ann, True), (bob, True), (server.visitor(), False)):
        wire = listen(server, "/api/analysis", player.http)
        wire.say({"type": "go", "id": "1", "position": position, "movetime": 100})
        assert (wire.hear().get("code") == "not-possible") == refused


SANQI = "sanqi/4 4/5/6/7/6/5/4 F -"
DANGER = "sparklies/board=4x4,ruleset=subtle g0r0b0g0/r1g1b0b0/b0g2r1r0/b0b0r2r0 W c 0"
HARLEQUIN = "sparklies/board=4x4,ruleset=subtle b0g0r0b0/r0r1g1g0/g0g1r1b0/b0r0b0g0 B p 0"


def test_a_gesture_is_one_message_and_one_ack(server: Any) -> None:
    table, wire = server.both(position=HARLEQUIN)
    watcher = server.wire(table)
    assert watcher.hear()["state"]["view"]["gestures"] == []
    (gesture,) = wire.state["view"]["gestures"]
    assert wire.ask(type="act", ply=0, actions=gesture["actions"])["number"] == 1
    (step, button) = wire.state["view"]["gestures"]
    assert (step["trigger"], button["trigger"]) == ("spot", "button")
    answer = wire.ask(type="act", ply=1, actions=step["actions"], id="dance")
    assert answer == {"type": "ack", "id": "dance", "number": 3}
    told = [(one["kind"], one["number"], bool(one["state"]["view"]["paths"])) for one in wire.heard[-3:-1]]
    assert told == [("action", 2, False), ("action", 3, True)]
    assert [watcher.until("event")["number"] for _ in range(3)] == [1, 2, 3]
    assert wire.ask(type="act", ply=1, actions=step["actions"], id="dance") == answer
    assert wire.ask(type="act", ply=3, actions=["b3=R", "a1=R"])["code"] == "illegal-action"
    assert state_of(server, table)["ply"] == 3


def test_a_long_gesture_cuts_nobody_off(server: Any) -> None:
    table, wire = server.both(position=HARLEQUIN)
    watcher = server.wire(table)
    colours = ["c3=B", "b2=B", "b3=G", "c2=G", "c3=R", "b2=R", "b3=B", "c2=B", "c3=G", "b2=G", "b3=R", "c2=R"]
    dance = ["b3=R", *colours * 8]
    assert wire.ask(type="act", ply=0, actions=dance)["number"] == len(dance)
    watcher.hear()
    shown = watcher.until("event", "snapshot")  # too much to be shown one by one
    assert (shown["type"], shown["state"]["ply"], shown["state"]["number"]) == ("snapshot", len(dance), len(dance))
    assert len(shown["state"]["moves"]) == len(dance)
    more = colours * 2
    assert wire.ask(type="act", ply=len(dance), actions=more)["number"] == len(dance) + len(more)
    numbers = [watcher.until("event", "snapshot").get("number") for _ in more]
    assert numbers == [len(dance) + 1 + number for number in range(len(more))]


def test_games_tell_what_can_be_explored(server: Any) -> None:
    """Of threats: what the page draws as arrows, where from, where to, whose, and why."""
    games = {game["name"]: game for game in server.http.get("/api/games").json()}
    sparklies, sanqi = ([one["id"] for one in games[name]["explorations"]] for name in ("sparklies", "sanqi"))
    assert sparklies == ["danger", "cascade"]
    assert "danger" in [one["id"] for one in games["sparklies"]["explorations"] if one["threatens"]]
    assert sanqi == ["one-away", "two-away", "pivots", "replaceable", "trapped"]
    assert [games[name]["standing"] for name in ("sparklies", "sanqi")] == ["cells owned", None]

    def explore(**ask: Any) -> Any:
        return server.http.post("/api/explore", json={"position": DANGER, "id": "danger", **ask}).json()

    found = explore()
    assert found["text"].startswith("At risk: Black")
    assert ["b3", "b2"] in [threat["cells"] for threat in found["threats"]]
    assert all(set(one) == {"player", "cells", "says"} and one["says"].endswith(".") for one in found["threats"])
    mine = [threat["player"] == tercet.parse(DANGER).mover for threat in found["threats"]]
    assert mine == sorted(mine), "what threatens the mover comes first"
    for wrong, where in (({"id": "luck"}, "id"), ({"cell": "b3"}, "cell"), ({"position": SANQI}, "id")):
        assert explore(**wrong)["error"]["where"] == where

    def why(action: str, position: str = HARLEQUIN) -> Any:
        return server.http.post("/api/why", json={"position": position, "action": action}).json()

    assert (why("b4=R")["legal"], why("b4=R")["why"] is None) == (False, False)
    assert why("b3=R") == {"legal": True, "why": None}
    assert why("b4=R", "nonsense")["error"]["code"] == "bad-position"
