"""Clocks, retractions and what is settled when a table is opened, over real sockets."""

import asyncio
import time
from typing import Any

import pytest

import tercet
from tercet.server.errors import Unreachable
from tercet.server.store.lease import Lease
from tests.server.conftest import Hands, Serve, play, state_of
from tests.support.waiting import until

BLITZ = {"kind": "fischer", "minutes": 3, "increment": 2}


def test_a_table_tells_its_clock(server: Any) -> None:
    table, wire = server.both(clock=BLITZ, confirm=True, chat=True, takebacks="own")
    state, clock = wire.state, wire.state["clock"]
    assert (clock["running"], clock["left"], clock["control"]) == (None, [180_000, 180_000], BLITZ)
    assert (state["confirm"], state["takebacks"], state["takebackRule"]) == (True, True, "own")
    assert (state["retractions"], state["chat"]) == ([10, 10], True)
    play([wire], "Rd4")
    clock = wire.state["clock"]
    assert clock["running"] == 1
    assert wire.last("event")["at"] <= clock["at"]
    assert 0 < clock["left"][1] <= 180_000
    wire.done(type="takeback")
    assert wire.state["retractions"] == [9, 10]
    assert 'TimeControl "fischer minutes=3 increment=2"' in server.http.get(f"/api/tables/{table}/record").text
    plain = state_of(server, server.open("me", "here")["id"])
    assert (plain["clock"], plain["retractions"], plain["confirm"]) == (None, None, False)


def test_a_flag_falls_by_itself(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its process was not sure that it is still the one that acts, soon after it is again."""
    table, (mine, theirs) = server.friends(clock={"kind": "turn", "seconds": 1})
    play([mine], "Rd4")
    known = server.app.state.services.registry.known(table["id"])
    with monkeypatch.context() as unsure:
        unsure.setattr(Lease, "is_sure", False)
        first = known._alarm.when()
        until(lambda: known._alarm is not None and known._alarm.when() > first, what="the alarm did not ring")
        assert known._alarm.when() < time.monotonic() + 5
    state = theirs.until("event", kind="flag", seat=1)["state"]
    assert (state["over"], state["flagged"], state["clock"]["left"][1]) == (True, [1], 0)
    assert state["result"] == "Second ran out of time. First wins."
    assert (state["view"]["outcome"]["reason"], theirs.act(1, "Yd5")["code"]) == ("time", "over")


def test_time_that_the_server_was_down_is_nobody_s(serve: Serve) -> None:
    server = serve(clock=(hands := Hands()))
    table, wire = server.both(clock=BLITZ)
    play([wire], "Rd4")
    hands.now += 60_000
    server.stop()
    hands.now += 3_600_000
    server.start()
    hands.now += 10_000
    state = state_of(server, table)
    assert (state["over"], state["clock"]["left"]) == (False, [182_000, 110_000])
    hands.now += 110_000
    server.restart()
    assert state_of(server, table)["over"]  # its flag fell while nobody looked


def test_the_first_clock_begins_when_the_first_action_is_written(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """It began when the action came, at a process whose database was silent for a while."""
    server = serve(clock=(hands := Hands()))
    table, wire = server.both(clock=BLITZ)
    store = server.app.state.services.registry.store
    append = store.append

    async def fail(*_given: Any, **_more: Any) -> bytes:
        monkeypatch.setattr(store, "append", append)
        hands.now += 6000
        raise Unreachable

    monkeypatch.setattr(store, "append", fail)
    play([wire], "Rd4")
    assert state_of(server, table)["clock"]["left"] == [182_000, 180_000]


@pytest.mark.online
def test_time_in_which_a_server_that_stops_takes_no_commands_is_nobody_s(serve: Serve) -> None:
    """It waited for the commands under way, seconds at most, in which others were refused and their flags fell."""
    server = serve(clock=(hands := Hands()))
    table, wire = server.both(clock={"kind": "turn", "seconds": 1})
    play([wire], "Rd4")
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
    state = state_of(server, table)
    assert (state["over"], state["clock"]["left"][1]) == (False, 100)


def test_a_record_tells_of_retractions_resignations_and_draws(server: Any) -> None:
    def table(rule: str) -> tuple[str, Any]:
        return server.both("me", "here", "here", game="triplicity", takebacks=rule)  # type: ignore[no-any-return]

    def record(table_id: str, query: str = "") -> tercet.Record:
        found = tercet.read(server.http.get(f"/api/tables/{table_id}/record{query}").text)[0]
        assert str(found.end) == state_of(server, table_id)["view"]["position"]
        return found

    own, wire = table("own")
    position = tercet.parse(wire.state["view"]["position"])
    first = str(position.legal_actions[0])
    second = str(position.play(first).legal_actions[0])
    play([wire], f"{first} {second}")
    wire.ask(type="takeback")
    wire.act(1, second)
    wire.ask(type="resign", seat=0)
    moves = [first, second, "retract", second, "resign=White"]
    assert (record(own).moves(), wire.state["resigned"]) == (moves, [0])
    third = wire.state["view"]["paths"][0][0]
    play([wire], third, wire.state["ply"])
    assert record(own).moves() == [*moves, third]
    wire.ask(type="draw", seat=1)
    assert (record(own).moves()[-1], record(own).headers["Result"]) == ("draw", "0-1/2-1/2")
    back = server.http.post("/api/record", json={"text": record(own).write()}).json()
    assert [move["text"] for move in back["moves"]] == record(own).moves()
    assert server.open("me", "here", "here", record=record(own).write())["id"]
    consent, wire = table("consent")
    play([wire], f"{first} {second}")
    wire.ask(type="takeback", ply=0)
    wire.act(0, first)
    assert record(consent, "?notes=true").moves() == [first]


def test_a_record_tells_how_long_turns_took(server: Any) -> None:
    def seconds(**wish: Any) -> str | None:
        table, wire = server.both(**wish)
        play([wire], "Rd4 Yd5 Bc4 Rc3")
        return tercet.read(server.http.get(f"/api/tables/{table}/record").text)[0].headers.get("Seconds")

    told = (seconds(clock=BLITZ) or "").split()
    assert len(told) == 3, "the first turn began when no clock ran"
    assert all(0 <= float(word) < 60 for word in told)
    assert seconds() is None
