"""Clocks, retractions and what is settled when a table is opened, over real sockets."""

import asyncio
import time
from typing import Any

import pytest

import tercet
from tercet.server.store.lease import Lease
from tests.server.conftest import Hands, Serve
from tests.support.waiting import until

BLITZ = {"kind": "fischer", "minutes": 3, "increment": 2}


def test_a_table_tells_its_clock(server: Any) -> None:
    table = server.open("me", "here", clock=BLITZ, confirm=True, chat=True, takebacks="own")
    wire = server.wire(table["id"], *table["tokens"])
    state = wire.hear()["state"]
    assert state["clock"]["running"] is None
    assert (state["clock"]["left"], state["clock"]["control"]) == ([180_000, 180_000], BLITZ)
    assert (state["confirm"], state["takebacks"], state["takebackRule"]) == (True, True, "own")
    assert state["retractions"] == [10, 10]
    assert state["chat"] is True
    wire.act(0, "Rd4")
    event = wire.heard[-2]
    assert event["state"]["clock"]["running"] == 1
    assert event["at"] <= event["state"]["clock"]["at"]
    assert 0 < event["state"]["clock"]["left"][1] <= 180_000
    assert (wire.ask(type="takeback")["type"], wire.heard[-2]["state"]["retractions"]) == ("ack", [9, 10])
    assert 'TimeControl "fischer minutes=3 increment=2"' in server.http.get(f"/api/tables/{table['id']}/record").text
    plain = server.http.get(f"/api/tables/{server.open('me', 'here')['id']}").json()["state"]
    assert (plain["clock"], plain["retractions"], plain["confirm"]) == (None, None, False)


def test_a_flag_falls_by_itself(server: Any) -> None:
    table = server.open("me", "friend", clock={"kind": "turn", "seconds": 1})
    mine, theirs = (server.wire(table["id"], token) for token in table["tokens"])
    assert mine.act(0, "Rd4")["type"] == "ack"
    theirs.until("event")
    fallen = theirs.until("event")
    assert (fallen["kind"], fallen["seat"]) == ("flag", 1)
    assert fallen["state"]["over"]
    assert fallen["state"]["result"] == "Second ran out of time. First wins."
    assert (fallen["state"]["view"]["outcome"]["reason"], fallen["state"]["flagged"]) == ("time", [1])
    assert fallen["state"]["clock"]["left"][1] == 0
    assert theirs.act(1, "Yd5")["code"] == "over"


def test_a_flag_falls_soon_after_its_process_is_sure_again(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = server.open("me", "here", clock={"kind": "turn", "seconds": 1})
    wire = server.wire(table["id"], *table["tokens"])
    assert wire.act(0, "Rd4")["type"] == "ack"
    known = server.app.state.services.registry.known(table["id"])
    with monkeypatch.context() as unsure:
        unsure.setattr(Lease, "is_sure", False)
        first = known._alarm.when()
        until(lambda: known._alarm is not None and known._alarm.when() > first, what="the alarm did not ring")
        assert known._alarm.when() < time.monotonic() + 5
    assert wire.until("event")["kind"] == "flag"


def test_time_that_the_server_was_down_is_nobody_s(serve: Serve) -> None:
    hands = Hands()
    server = serve(clock=hands)
    table = server.open("me", "here", clock=BLITZ)
    server.wire(table["id"], *table["tokens"]).act(0, "Rd4")
    hands.now += 60_000
    server.stop()
    hands.now += 3_600_000
    server.start()
    hands.now += 10_000
    state = server.wire(table["id"], *table["tokens"]).hear()["state"]
    assert not state["over"]
    assert state["clock"]["left"] == [182_000, 110_000]
    hands.now += 110_000
    server.restart()
    state = server.wire(table["id"], *table["tokens"]).hear()["state"]
    assert state["over"]  # its flag fell while nobody looked


@pytest.mark.online
def test_time_in_which_a_server_that_stops_takes_no_commands_is_nobody_s(serve: Serve) -> None:
    """It waited for the commands under way, seconds at most, in which others were refused and their flags fell."""
    hands = Hands()
    server = serve(clock=hands)
    table = server.open("me", "here", clock={"kind": "turn", "seconds": 1})
    server.wire(table["id"], *table["tokens"]).act(0, "Rd4")
    hands.now += 900
    registry = server.app.state.services.registry

    async def stop() -> None:
        waiting = asyncio.ensure_future(registry.run_to_end(asyncio.sleep(1.5)))
        await asyncio.sleep(0)
        draining = asyncio.ensure_future(registry.drain())
        await asyncio.sleep(0)
        hands.now += 1500
        await asyncio.gather(waiting, draining)

    asyncio.run_coroutine_threadsafe(stop(), registry._endless[0].get_loop()).result(30)
    server.restart()
    state = server.wire(table["id"], *table["tokens"]).hear()["state"]
    assert (state["over"], state["clock"]["left"][1]) == (False, 100)


@pytest.mark.online
def test_an_engine_plays_under_a_clock(serve: Serve) -> None:
    server = serve(clock=Hands())
    table = server.open("me", "engine", clock=BLITZ)
    wire = server.wire(table["id"], table["tokens"][0])
    wire.act(0, "Rd4")
    assert next(heard for heard in iter(wire.hear, None) if heard.get("ply") == 1)["kind"] == "action"


def test_a_record_tells_of_retractions_resignations_and_draws(server: Any) -> None:
    def table(**wish: Any) -> tuple[str, Any]:
        opened = server.open("me", "here", "here", game="triplicity", **wish)
        wire = server.wire(opened["id"], *opened["tokens"])
        wire.hear()
        return opened["id"], wire

    def record(table_id: str, query: str = "") -> tercet.Record:
        text = server.http.get(f"/api/tables/{table_id}/record{query}").text
        state = server.http.get(f"/api/tables/{table_id}").json()["state"]
        found = tercet.read(text)[0]
        assert str(found.end) == state["view"]["position"]
        return found

    own, wire = table(takebacks="own")
    first = server.http.get(f"/api/tables/{own}").json()["state"]["view"]["position"]
    moves = [str(tercet.parse(first).legal_actions[0])]
    wire.act(0, moves[0])
    second = str(tercet.parse(first).play(moves[0]).legal_actions[0])
    wire.act(1, second)
    wire.ask(type="takeback")
    wire.act(1, second)
    wire.ask(type="resign", seat=0)
    assert record(own).moves() == [moves[0], second, "retract", second, "resign=White"]
    wire.ask(type="draw", seat=1)
    assert (record(own).moves()[-1], record(own).headers["Result"]) == ("draw", "0-1/2-1/2")
    back = server.http.post("/api/record", json={"text": record(own).write()}).json()
    assert [move["text"] for move in back["moves"]] == record(own).moves()
    assert server.open("me", "here", "here", record=record(own).write())["id"]
    consent, wire = table(takebacks="consent")
    wire.act(0, moves[0])
    wire.act(1, second)
    wire.ask(type="takeback", ply=0)
    wire.act(0, moves[0])
    assert record(consent, "?notes=true").moves() == moves


def test_a_record_tells_how_long_turns_took(server: Any) -> None:
    opened = server.open("me", "here", clock=BLITZ)
    wire = server.wire(opened["id"], *opened["tokens"])
    position = tercet.parse(wire.hear()["state"]["view"]["position"])
    for ply in range(4):
        action = str(position.legal_actions[0])
        wire.act(ply, action)
        position = position.play(action)
    headers = tercet.read(server.http.get(f"/api/tables/{opened['id']}/record").text)[0].headers
    assert len(headers["Seconds"].split()) == 3, "the first turn began when no clock ran"
    assert all(0 <= float(word) < 60 for word in headers["Seconds"].split())
    opened = server.open("me", "here")
    assert "Seconds" not in server.http.get(f"/api/tables/{opened['id']}/record").text
