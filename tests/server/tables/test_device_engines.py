"""Engines that think on a player's device: who is asked, what is played, and when the server thinks itself."""

from collections.abc import Callable
from typing import Any

import pytest

import tercet
from tercet.core.game import Position
from tercet.server.tables import engine_seats
from tests.server.conftest import Serving, Wire
from tests.support.waiting import until

MOVES = ("Rd4", "Rd5")


@pytest.fixture
def server(serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Any:
    """A server whose own engines play the last legal action; ``server.thought`` are the positions they were given."""
    server = serve(engines=0)
    server.thought = []

    async def move(_owner: str, position: Position, *_: Any) -> str:
        server.thought.append(str(position))
        return str(position.legal_actions[len(position.legal_actions) - 1])

    monkeypatch.setattr(server.app.state.services.registry.engine_pool, "move", move)
    return server


def lent(server: Serving, *kinds: str, **wish: Any) -> Wire:
    """A player at a new table, whose device can think."""
    table = server.open(*(kinds or ("me", "engine")), **wish)
    wire = server.wire(table["id"], table["tokens"][kinds.index("me") if kinds else 0])
    wire.hear()
    wire.say({"type": "thinker", "can": True})
    return wire


def heard(wire: Wire, **fields: Any) -> dict[str, Any]:
    """The first message with these fields, which may have come already."""
    while True:
        for message in wire.heard:
            if fields.items() <= message.items():
                return message
        wire.hear()


def asked(wire: Wire, ply: int = 0, n: int = 0) -> dict[str, Any]:
    """What the device is asked after the player's move, as question ``n``."""
    assert wire.act(ply, MOVES[ply // 2])["type"] == "ack"
    return heard(wire, type="think", n=n or ply // 2 + 1)


def played(wire: Wire, ply: int = 1) -> str:
    """The action that the engine plays."""
    return str(heard(wire, kind="action", ply=ply)["action"])


def first(question: dict[str, Any]) -> str:
    return str(tercet.parse(question["position"]).legal_actions[0])


def last(question: dict[str, Any]) -> str:
    actions = tercet.parse(question["position"]).legal_actions
    return str(actions[len(actions) - 1])


def answer(wire: Wire, question: dict[str, Any], action: str | None) -> None:
    wire.say({"type": "thought", "n": question["n"], "action": action})


def test_the_device_chooses_and_the_server_does_not_think(server: Any) -> None:
    wire = lent(server)
    for ply in (0, 2):
        question = asked(wire, ply)
        assert (question["seat"], question["level"]) == (1, 1)
        answer(wire, question, first(question))
        assert played(wire, ply + 1) == first(question)
    assert server.thought == []


@pytest.mark.parametrize("bad", ["Yz9", "Rd4", "resign", None])
def test_the_server_thinks_after_an_illegal_answer_or_a_refusal(server: Any, bad: str | None) -> None:
    """The device is not asked again until it is offered again."""
    wire = lent(server)
    question = asked(wire)
    answer(wire, question, bad)
    assert played(wire) == last(question)
    assert wire.act(2, MOVES[1])["type"] == "ack"
    played(wire, 3)
    assert len(server.thought) == 2
    assert sum(one["type"] == "think" for one in wire.heard) == 1
    wire.say({"type": "thinker", "can": True})
    assert wire.ask(type="takeback", ply=2, at=4)["type"] == "ack"
    asked(wire, 2)


def test_the_server_thinks_where_no_answer_comes_in_time(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer that comes too late, and one with a number of the past, change nothing."""
    monkeypatch.setattr(engine_seats, "DEVICE_SECONDS", 0.1)
    wire = lent(server)
    question = asked(wire)
    assert played(wire) == last(question)
    monkeypatch.setattr(engine_seats, "DEVICE_SECONDS", 20.0)
    wire.say({"type": "thinker", "can": True})
    again = asked(wire, 2)
    answer(wire, question, first(again))
    answer(wire, {"n": 0}, first(again))
    answer(wire, {"n": 99}, first(again))
    answer(wire, again, last(again))
    answer(wire, again, first(again))
    assert played(wire, 3) == last(again)
    assert wire.ask(type="resign")["type"] == "ack"
    assert len(server.thought) == 1


def test_an_engine_with_a_clock_keeps_most_of_its_time(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_seats, "DEVICE_SECONDS", 600.0)
    wire = lent(server, clock={"kind": "turn", "seconds": 4})
    question = asked(wire)
    assert played(wire) == last(question)


@pytest.mark.parametrize("leaves", [True, False])
def test_the_server_thinks_after_the_client_leaves_or_withdraws_its_device(server: Any, leaves: bool) -> None:
    table = server.open("me", "engine")
    other, wire = (server.wire(table["id"], table["tokens"][0]) for _ in range(2))
    for one in (other, wire):
        one.hear()
    wire.say({"type": "thinker", "can": True})
    question = asked(wire)
    wire.close() if leaves else wire.say({"type": "thinker", "can": False})
    assert played(other) == last(question)


def test_the_device_offered_last_is_asked_and_no_other_may_answer(server: Any) -> None:
    table = server.open("me", "engine")
    other, wire, watcher = (server.wire(table["id"], *table["tokens"][:seats]) for seats in (1, 1, 0))
    for one in (other, wire, watcher):
        one.hear()
        one.say({"type": "thinker", "can": True})
        one.say({"type": "ping"})
        one.until("pong")
    question = asked(wire)
    for one in (other, watcher):
        answer(one, question, last(question))
        one.say({"type": "ping"})
        one.until("pong")
    answer(wire, question, first(question))
    assert played(wire) == first(question)
    assert not any(one["type"] == "think" for one in other.heard + watcher.heard)


def test_a_takeback_while_the_device_thinks_drops_its_answer(server: Any) -> None:
    wire = lent(server)
    question = asked(wire)
    assert wire.ask(type="takeback", ply=0, at=1)["type"] == "ack"
    answer(wire, question, first(question))
    again = asked(wire, n=2)
    answer(wire, question, last(again))
    answer(wire, again, first(again))
    assert played(wire) == first(again)
    assert server.thought == []


def test_a_player_may_resign_while_the_device_thinks(server: Any) -> None:
    wire = lent(server)
    question = asked(wire)
    assert wire.ask(type="resign")["type"] == "ack"
    answer(wire, question, first(question))
    wire.say({"type": "snapshot"})
    state = wire.until("snapshot")["state"]
    assert (state["over"], state["ply"]) == (True, 1)
    assert server.thought == []


@pytest.mark.parametrize(
    ("seats", "wish"),
    [
        pytest.param(["me", "here", "engine"], {"game": "triplicity"}, id="two seats of one person"),
        pytest.param(["me", "friend", "engine"], {"game": "triplicity"}, id="two persons"),
    ],
)
def test_with_several_people_the_server_thinks(server: Any, seats: list[str], wish: dict[str, Any]) -> None:
    table = server.open(*seats, **wish)
    wires = [server.wire(table["id"], token) for token in table["tokens"] if token]
    for wire in wires:
        wire.hear()
        wire.say({"type": "thinker", "can": True})
    position = tercet.parse(wires[0].heard[0]["state"]["view"]["position"])
    for ply in range(60):
        if server.thought:
            break
        seat = position.mover
        assert seat in (0, 1)
        action = position.legal_actions[0]
        assert wires[seat].act(ply, str(action))["type"] == "ack"
        position = position.play(action)
    until(lambda: server.thought, what="the server's engine did not think")
    assert not any(one["type"] == "think" for wire in wires for one in wire.heard)


def test_the_highest_level_is_the_servers(server: Any) -> None:
    """It takes time instead of nodes, and would be weaker on a slower device."""
    table = server.http.post(
        "/api/tables",
        json={"game": "sanqi", "options": {"side": 4}, "seats": [{"kind": "me"}, {"kind": "engine", "level": 10}]},
    ).json()
    wire = server.wire(table["id"], table["seats"][0]["token"])
    wire.hear()
    wire.say({"type": "thinker", "can": True})
    wire.act(0, "Rd4")
    played(wire)
    assert not any(one["type"] == "think" for one in wire.heard)


def test_no_device_is_asked_in_a_rated_game(server: Any) -> None:
    """No seat of a rated game is an engine's when the game opens, nor is any given to one later."""
    clock = {"kind": "fischer", "minutes": 5, "increment": 3}
    refused = server.visitor("ann").try_to_open("me", {"kind": "engine", "level": 1}, rated=True, clock=clock)
    assert refused.status_code == 400
