"""A message bears an id of its sender's: whatever comes of it, it comes of it once, and its answer stays the same."""

from __future__ import annotations

from typing import Any

from tests.server.conftest import Serving


def test_an_action_resent_with_more_seats_is_acknowledged_again(server: Serving) -> None:
    """Its id is that of the seat which decided, on whatever socket it comes."""
    table = server.open("me", "friend")
    first, both = table["tokens"][0], table["tokens"]
    opener, other = server.wire(table["id"], first), server.wire(table["id"], both[1])
    assert opener.act(0, "Rd4", id="a")["type"] == "ack"
    played = other.act(1, "Yd5", id="b")
    assert played["type"] == "ack"
    wide = server.wire(table["id"], *both)
    assert wide.act(1, "Yd5", id="b") == played
    assert server.wire(table["id"], *both).act(0, "Rd4", id="a") == {"type": "ack", "id": "a", "number": 1}


def test_what_was_refused_as_stale_is_not_played_by_a_late_copy(server: Serving) -> None:
    """When so many actions stand again, since the others were taken back."""
    _, wire = server.both()
    assert wire.act(0, "Rd4")["type"] == "ack"
    assert wire.act(0, "Rd5", id="late")["code"] == "stale-ply"
    assert wire.ask(type="takeback", ply=0)["type"] == "ack"
    assert wire.act(0, "Rd5", id="late")["code"] == "stale-ply"
    assert wire.act(0, "Rd5", id="new")["type"] == "ack"


def test_whoever_says_what_he_knows_plays_nothing_after_a_takeback(server: Serving) -> None:
    """In whatever process, and though nothing of the message came before."""
    _, wire = server.both()
    assert wire.act(0, "Rd4", number=0)["type"] == "ack"
    assert wire.ask(type="takeback", ply=0)["type"] == "ack"
    assert wire.act(0, "Rd5", number=1)["code"] == "stale-ply"
    assert wire.act(0, "Rd5", number=2)["type"] == "ack"
    assert wire.act(1, "Yd4", number="no")["code"] == "bad-message"


def test_what_is_too_much_is_told_with_the_id_of_what_was_refused(serve: Any) -> None:
    from tercet.server.http.limits import Limits

    server = serve(limits=Limits(messages_per_second=1))
    _, wire = server.both()
    heard = [wire.ask(type="takeback", id=f"m{number}") for number in range(8)]
    refused = [one for one in heard if one["code"] == "too-many"]
    assert refused
    assert all(one["retry"] > 0 for one in refused)
