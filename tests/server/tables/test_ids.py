"""A message bears an id of its sender's: whatever comes of it, it comes of it once, and its answer stays the same."""

import time
from typing import Any

import tercet
from tercet.server.limits.budgets import ServerLimits
from tests.server.conftest import Serving, play


def test_an_action_resent_with_more_seats_is_acknowledged_again_and_stale_ones_are_not_played(server: Serving) -> None:
    """Its id is that of the seat which decided, on whatever socket it comes."""
    table, (opener, other) = server.friends()
    opener.done(type="act", ply=0, action="Rd4", id="a")
    played = other.done(type="act", ply=1, action="Yd5", id="b")
    both = server.wire(table["id"], *table["tokens"])
    assert both.act(1, "Yd5", id="b") == played
    assert both.act(0, "Rd4", id="a") == {"type": "ack", "id": "a", "number": 1}
    # What was refused as stale is not played by a late copy. When so many actions stand again, since the others were
    # taken back.
    _, wire = server.both()
    assert (wire.act(0, "Rd4")["type"], wire.act(0, "Rd5", id="late")["code"]) == ("ack", "stale-ply")
    wire.done(type="takeback", ply=0)
    assert (wire.act(0, "Rd5", id="late")["code"], wire.act(0, "Rd5", id="new")["type"]) == ("stale-ply", "ack")
    # Whoever says what he knows plays nothing after a takeback. In whatever process, and though nothing of the
    # message came before.
    _, wire = server.both()
    assert (wire.act(0, "Rd4", number=0)["type"], wire.ask(type="takeback", ply=0)["type"]) == ("ack", "ack")
    assert (wire.act(0, "Rd5", number=1)["code"], wire.act(0, "Rd5", number=2)["type"]) == ("stale-ply", "ack")
    assert wire.act(1, "Yd4", number="no")["code"] == "bad-message"
    # What was refused is not done by a late copy. An answer to an offer that was gone accepts no later one.
    table, (mine, theirs) = server.friends()
    play([mine], "Rd4")
    accept = {"type": "answer", "what": "draw", "yes": True}
    assert theirs.ask(**accept, id="late")["code"] == "not-possible"
    mine.done(type="draw", seat=0)
    assert theirs.ask(**accept, id="late")["code"] == "not-possible"
    assert theirs.state["offers"] == [{"seat": 0, "what": "draw", "ply": None, "awaited": [1]}]
    theirs.done(**accept, id="new")
    state = theirs.state
    assert (state["over"], state["view"]["scene"]["state"], "agreement" in state["result"]) == (True, "over", True)
    record = server.http.get(f"/api/tables/{table['id']}/record").text
    assert ('[Result "1/2-1/2"]' in record, tercet.read(record)[0].result) == (True, "1/2-1/2")


def test_what_was_refused_stays_refused_after_a_restart(serve: Any) -> None:
    """Where it says what its sender knew: no process has to remember it."""
    server = serve()
    table, (mine, theirs) = server.friends()
    play([mine], "Rd4")
    accept = {"type": "answer", "what": "draw", "yes": True, "number": 1, "id": "yes"}
    early = {"type": "act", "ply": 2, "action": "Rd5", "number": 1, "id": "early"}
    assert theirs.ask(**accept)["code"] == "not-possible"
    assert mine.ask(**early)["code"] == "stale-ply"
    play([theirs], "Yd5", 1)
    mine.done(type="draw", seat=0)
    # As another process, or the next one, would have it.
    server.app.state.services.registry.known(table["id"])._refused.clear()
    assert theirs.ask(**accept)["code"] == "stale-ply"
    assert mine.ask(**early)["code"] == "stale-ply"
    theirs.done(**{**accept, "id": "new", "number": 3})


def test_what_is_too_much_is_told_with_the_id_of_what_was_refused(serve: Any) -> None:
    _, wire = serve(limits=ServerLimits(messages_per_second=5)).both()
    for number in range(40):
        wire.say({"type": "ping", "id": f"p{number}"})
    heard = [wire.until("pong", "error") for _ in range(40)]
    assert [message["id"] for message in heard] == [f"p{number}" for number in range(40)]
    assert {message.get("code", "fine") for message in heard} == {"fine", "too-many"}
    assert all(message["retry"] > 0 for message in heard if message["type"] == "error")


def test_whatever_makes_no_sense_is_refused_with_its_id(server: Serving) -> None:
    _, wire = server.both()
    wrong: list[dict[str, Any]] = [{}, *({"type": kind} for kind in (7, "dance", "act"))]
    wrong += [{"type": "say", "room": "nowhere", "text": "x"}, {"type": "claim", "seat": 9, "what": "win"}]
    for message in wrong:
        wire.say({"id": "m", **message})
        refused = wire.until("error")
        assert (refused["id"], refused["code"]) == ("m", "bad-message"), message
    refused = wire.act(0, "Zz9", id="m")
    assert (refused["id"], refused["code"]) == ("m", "illegal-action")


def test_what_comes_while_the_server_stops_is_answered(serve: Any) -> None:
    """At once, so that whoever asks goes to another process: after that his socket is closed."""
    server = serve()
    _, wire = server.both()
    server.app.state.services.registry.draining = True
    began = time.monotonic()
    answers = [wire.act(0, "Rd4", id=f"m{number}") for number in range(3)]
    assert time.monotonic() - began < 1
    told = [(one["id"], one["code"], one["where"]) for one in answers]
    assert told == [(f"m{number}", "unavailable", "server") for number in range(3)]
    server.app.state.services.registry.draining = False
    wire.done(type="act", ply=0, action="Rd4", id="m0")
