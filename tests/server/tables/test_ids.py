"""A message bears an id of its sender's: whatever comes of it, it comes of it once, and its answer stays the same."""

import time
from typing import Any

import pytest

from tests.server.conftest import Serving


def test_an_action_resent_with_more_seats_is_acknowledged_again_and_stale_ones_are_not_played(server: Serving) -> None:
    """Its id is that of the seat which decided, on whatever socket it comes."""
    table = server.open("me", "friend")
    first, both = table["tokens"][0], table["tokens"]
    opener, other = server.wire(table["id"], first), server.wire(table["id"], both[1])
    assert opener.act(0, "Rd4", id="a")["type"] == "ack"
    played = other.act(1, "Yd5", id="b")
    assert played["type"] == "ack"
    assert server.wire(table["id"], *both).act(1, "Yd5", id="b") == played
    assert server.wire(table["id"], *both).act(0, "Rd4", id="a") == {"type": "ack", "id": "a", "number": 1}
    # What was refused as stale is not played by a late copy. When so many actions stand again, since the others were
    # taken back.
    _, wire = server.both()
    assert (wire.act(0, "Rd4")["type"], wire.act(0, "Rd5", id="late")["code"]) == ("ack", "stale-ply")
    assert wire.ask(type="takeback", ply=0)["type"] == "ack"
    assert (wire.act(0, "Rd5", id="late")["code"], wire.act(0, "Rd5", id="new")["type"]) == ("stale-ply", "ack")
    # Whoever says what he knows plays nothing after a takeback. In whatever process, and though nothing of the
    # message came before.
    _, wire = server.both()
    assert (wire.act(0, "Rd4", number=0)["type"], wire.ask(type="takeback", ply=0)["type"]) == ("ack", "ack")
    assert (wire.act(0, "Rd5", number=1)["code"], wire.act(0, "Rd5", number=2)["type"]) == ("stale-ply", "ack")
    assert wire.act(1, "Yd4", number="no")["code"] == "bad-message"
    # What was refused is not done by a late copy. An answer to an offer that was gone accepts no later one.
    table = server.open("me", "friend")
    mine, theirs = (server.wire(table["id"], token) for token in table["tokens"])
    assert mine.act(0, "Rd4")["type"] == "ack"
    accept = {"type": "answer", "what": "draw", "yes": True}
    assert theirs.ask(**accept, id="late")["code"] == "not-possible"
    assert mine.ask(type="draw", seat=0)["type"] == "ack"
    assert theirs.ask(**accept, id="late")["code"] == "not-possible"
    assert theirs.ask(**accept, id="new")["type"] == "ack"


def test_what_was_refused_stays_refused_after_a_restart(serve: Any) -> None:
    """Where it says what its sender knew: no process has to remember it."""
    server = serve()
    table = server.open("me", "friend")
    mine, theirs = (server.wire(table["id"], token) for token in table["tokens"])
    assert mine.act(0, "Rd4")["type"] == "ack"
    accept = {"type": "answer", "what": "draw", "yes": True, "number": 1, "id": "yes"}
    early = {"type": "act", "ply": 2, "action": "Rd5", "number": 1, "id": "early"}
    assert theirs.ask(**accept)["code"] == "not-possible"
    assert mine.ask(**early)["code"] == "stale-ply"
    assert theirs.act(1, "Yd5")["type"] == "ack"
    assert mine.ask(type="draw", seat=0)["type"] == "ack"
    table_in_memory = server.app.state.services.registry.known(table["id"])
    table_in_memory._refused.clear()  # as another process, or the next one, would have it
    assert theirs.ask(**accept)["code"] == "stale-ply"
    assert mine.ask(**early)["code"] == "stale-ply"
    assert theirs.ask(**{**accept, "id": "new", "number": 3})["type"] == "ack"


def test_what_is_too_much_is_told_with_the_id_of_what_was_refused(serve: Any) -> None:
    from tercet.server.limits.budgets import ServerLimits

    _, wire = serve(limits=ServerLimits(messages_per_second=1)).both()
    heard = [wire.ask(type="takeback", id=f"m{number}") for number in range(8)]
    refused = [one for one in heard if one["code"] == "too-many"]
    assert refused
    assert all(one["retry"] > 0 for one in refused)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"id": "m"}, "bad-message"),
        ({"id": "m", "type": 7}, "bad-message"),
        ({"id": "m", "type": "dance"}, "bad-message"),
        ({"id": "m", "type": "act"}, "bad-message"),
        ({"id": "m", "type": "act", "ply": 0, "action": "Zz9"}, "illegal-action"),
        ({"id": "m", "type": "say", "room": "nowhere", "text": "x"}, "bad-message"),
        ({"id": "m", "type": "claim", "seat": 9, "what": "win"}, "bad-message"),
    ],
)
def test_whatever_makes_no_sense_is_refused_with_its_id(server: Serving, message: dict[str, Any], code: str) -> None:
    _, wire = server.both()
    wire.say(message)
    refused = wire.until("error")
    assert (refused["id"], refused["code"]) == ("m", code)


def test_what_comes_while_the_server_stops_is_answered(serve: Any) -> None:
    """At once, so that whoever asks goes to another process: after that his socket is closed."""
    server = serve()
    _, wire = server.both()
    server.app.state.services.registry.draining = True
    began = time.monotonic()
    answers = [wire.act(0, "Rd4", id=f"m{number}") for number in range(3)]
    assert time.monotonic() - began < 1
    assert [(one["code"], one["where"]) for one in answers] == [("unavailable", "server")] * 3
    assert [one["id"] for one in answers] == ["m0", "m1", "m2"]
    server.app.state.services.registry.draining = False
    assert wire.act(0, "Rd4", id="m0")["type"] == "ack"
