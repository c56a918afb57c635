"""Several server processes on one database."""

import asyncio
import time
from typing import Any

import pytest
import sqlalchemy as sa

from tercet.server.store import lease
from tercet.server.store.schema import TABLES
from tercet.server.tables import registry
from tercet.server.tables.registry import TableRegistry
from tests.server.conftest import Serve
from tests.support import services
from tests.support.waiting import until

pytestmark = pytest.mark.online

EGG = {"kind": "turn", "seconds": 3}


def registry_of(server: Any) -> TableRegistry:
    found: TableRegistry = server.server.config.app.state.services.registry
    return found


def row_of(server: Any, table: str) -> Any:
    """What is kept of the table beside its log."""
    engine = sa.create_engine(registry_of(server).store.database._writer.url)
    with engine.connect() as connection:
        found = connection.execute(sa.select(TABLES).where(TABLES.c.id == table)).one()
    engine.dispose()
    return found


def event(wire: Any, kind: str) -> dict[str, Any]:
    """The next event of that kind."""
    while True:
        heard: dict[str, Any] = wire.until("event")
        if heard["kind"] == kind:
            return heard


def die(server: Any) -> None:
    """Let nobody see the server's process any more, though it does not know."""
    known = registry_of(server).lease

    async def beat() -> bool:
        known._noted = time.monotonic()
        return False

    known.beat = beat  # type: ignore[method-assign]


@pytest.mark.parametrize("how", ["by Redis", "by looking"])
def test_what_happens_in_one_process_is_told_in_the_other(
    serve: Serve, redis: services.Redis, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = serve(redis=redis.url if how == "by Redis" else None)
    there = here.another()
    if how == "by Redis":

        async def stand_still(everything: bool = False) -> None:
            pass

        monkeypatch.setattr(registry_of(there), "_follow", stand_still)
    table = here.open("me", "friend")
    mine, theirs = here.wire(table["id"], table["tokens"][0]), there.wire(table["id"], table["tokens"][1])
    assert (mine.hear()["type"], theirs.hear()["type"]) == ("snapshot", "snapshot")
    assert mine.act(0, "Rd4", id="a") == {"type": "ack", "id": "a", "number": 1}
    heard = event(theirs, "action")
    assert (heard["action"], heard["state"]["mover"]) == ("Rd4", 1)
    assert heard["state"]["view"]["paths"]
    assert theirs.act(1, "Yd5")["number"] == 2
    assert event(mine, "action")["number"] == 2
    again = there.wire(table["id"], table["tokens"][0])
    assert again.act(0, "Rd4", id="a") == {"type": "ack", "id": "a", "number": 1}
    there.stop()


def test_without_redis_for_a_while(serve: Serve, redis: services.Redis) -> None:
    here = serve(redis=redis.url)
    there = here.another()
    table = here.open("me", "friend")
    mine, theirs = here.wire(table["id"], table["tokens"][0]), there.wire(table["id"], table["tokens"][1])
    theirs.hear()
    redis.stop()
    assert mine.act(0, "Rd4")["type"] == "ack"
    assert event(theirs, "action")["number"] == 1  # found in the database
    redis.start()
    until(lambda: all(registry_of(server).pubsub._well for server in (here, there)))  # type: ignore[attr-defined]
    assert theirs.act(1, "Yd5")["type"] == "ack"
    assert event(mine, "action")["number"] == 2
    there.stop()


def test_one_process_judges_flags_and_moves_engines(serve: Serve, redis: services.Redis) -> None:
    here = serve(redis=redis.url)
    there = here.another()
    table = here.open("me", "engine")
    wires = [server.wire(table["id"], table["tokens"][0]) for server in (here, there)]
    for wire in wires:
        wire.hear()
    tables = [registry_of(server)._tables[table["id"]] for server in (here, there)]
    assert [one.owned for one in tables].count(True) == 1  # the first, unless it was late
    assert wires[1].act(0, "Rd4")["type"] == "ack"
    for wire in wires:
        moved = event(wire, "action")
        while moved["seat"] != 1:
            moved = event(wire, "action")
        assert moved["number"] == 2
    game = here.open("me", "friend", clock=EGG)
    mine, theirs = there.wire(game["id"], game["tokens"][0]), here.wire(game["id"], game["tokens"][1])
    assert mine.act(0, "Rd4")["type"] == "ack"
    assert [event(wire, "flag")["seat"] for wire in (mine, theirs)] == [1, 1]
    assert theirs.act(1, "Yd5")["code"] == "over"
    there.stop()


def test_tables_of_a_process_that_is_gone_are_taken_over_with_clocks_that_stood(
    serve: Serve, redis: services.Redis
) -> None:
    here = serve(redis=redis.url)
    there = here.another()
    table = here.open("me", "friend", clock=EGG)
    assert here.wire(table["id"], table["tokens"][0]).act(0, "Rd4")["type"] == "ack"
    theirs = there.wire(table["id"], table["tokens"][1])
    assert theirs.hear()["state"]["clock"]["running"] == 1
    die(here)
    registry_of(here)._tables[table["id"]].put_away()
    assert theirs.act(1, "Yd5")["type"] == "ack"  # though a flag would have fallen since
    heard = [message for message in theirs.heard if message["type"] == "event"]
    kinds = [message["kind"] for message in heard]
    if "resumed" in kinds:  # it was asked when the process was late already
        assert kinds == ["resumed", "action"]
        assert heard[0]["lost"] > 0
    taken = registry_of(there)._tables[table["id"]]
    until(lambda: taken.owned)
    assert (
        not registry_of(here)._tables[table["id"]].owned
        or row_of(there, table["id"]).owner == registry_of(there).lease.process_id
    )
    there.stop()


def test_who_comes_soon_after_his_process_died_gets_time_back(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the other process was seen so lately that it might still live."""
    monkeypatch.setattr(lease, "LATE_SECONDS", 3.0)  # so that on a busy machine, too, it is not late when he acts
    here = serve()
    there = here.another()
    table = here.open("me", "friend", clock={"kind": "fischer", "minutes": 1, "increment": 0})
    assert here.wire(table["id"], table["tokens"][0]).act(0, "Rd4")["type"] == "ack"
    die(here)
    registry_of(here)._tables[table["id"]].put_away()
    time.sleep(1.2)  # what is tested: the time until he has found another process
    theirs = there.wire(table["id"], table["tokens"][1])
    assert theirs.act(1, "Yd5")["type"] == "ack"
    heard = [message for message in theirs.heard if message["type"] == "event"]
    assert [message["kind"] for message in heard] == ["resumed", "action"]
    assert heard[-1]["state"]["clock"]["left"][1] > 59_900
    there.stop()


def test_a_flag_that_falls_while_its_owner_is_gone_is_judged_by_the_next(serve: Serve) -> None:
    here = serve()
    there = here.another()
    table = here.open("me", "friend", clock=EGG)
    mine = here.wire(table["id"], table["tokens"][0])
    assert mine.act(0, "Rd4")["type"] == "ack"
    die(here)
    registry_of(here)._tables[table["id"]].put_away()
    theirs = there.wire(table["id"], table["tokens"][1])
    lost = event(theirs, "resumed")
    assert lost["lost"] >= 1000 * (lease.DEAD_SECONDS - 2 * lease.BEAT_SECONDS)
    assert not lost["state"]["over"]
    assert event(theirs, "flag")["at"] > lost["at"]
    assert event(mine, "flag")["seat"] == 1  # who thought it was the owner hears of it too
    log = [(one["kind"], one["number"]) for one in theirs.heard if one["type"] == "event"]
    assert log == [("resumed", 2), ("flag", 3)]
    there.stop()


def test_a_process_that_stood_still_gives_the_time_back_before_it_judges(serve: Serve) -> None:
    server = serve()
    table = server.open("me", "friend", clock=EGG)
    mine, theirs = (server.wire(table["id"], token) for token in table["tokens"])
    assert mine.act(0, "Rd4")["type"] == "ack"
    theirs.hear()
    known = registry_of(server)
    run = known.lease.process_id

    async def hold() -> None:
        time.sleep(4.0)  # what is tested: the loop stands still, as if the process had been suspended

    asyncio.run_coroutine_threadsafe(hold(), known._endless[0].get_loop()).result(30)
    assert event(theirs, "resumed")["lost"] >= 2500
    assert known.lease.process_id != run
    assert theirs.act(1, "Yd5")["type"] == "ack"


def test_flags_fall_at_tables_that_nobody_looks_at(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "IDLE_SECONDS", 0.0)
    server = serve()
    table = server.open("me", "friend", clock=EGG)
    wire = server.wire(table["id"], table["tokens"][0])
    assert wire.act(0, "Rd4")["type"] == "ack"
    assert row_of(server, table["id"]).deadline > registry_of(server).now()
    wire.close()
    until(lambda: table["id"] not in registry_of(server)._tables)
    until(lambda: row_of(server, table["id"]).owner is None)
    over = until(lambda: (row := row_of(server, table["id"])).over and row)
    assert (over.result["reason"], over.result["scores"], over.deadline, over.number) == ("time", [1, 0], None, 2)
    assert over.ended is not None


def test_old_tokens_are_dead_in_every_process(serve: Serve, redis: services.Redis) -> None:
    here = serve(redis=redis.url)
    there = here.another()
    table = here.open("me", "friend")
    theirs = there.wire(table["id"], table["tokens"][1])
    assert theirs.hear()["state"]["yourSeats"] == [1]
    here.wire(table["id"], table["tokens"][0]).hear()
    asked = here.http.post(f"/api/tables/{table['id']}/seats/1/link")
    assert asked.status_code == 201, asked.text
    assert (theirs.until("snapshot")["state"]["yourSeats"], theirs.act(0, "Rd4")["code"]) == ([], "not-your-seat")
    there.stop()


def test_who_is_here_in_another_process(serve: Serve, redis: services.Redis) -> None:
    here = serve(redis=redis.url)
    there = here.another()
    table = here.open("me", "friend")
    mine = here.wire(table["id"], table["tokens"][0])
    assert [one["seat"] for one in mine.hear()["state"]["away"]] == [1]
    theirs = there.wire(table["id"], table["tokens"][1])
    theirs.hear()
    while mine.until("here")["seats"][1]["since"] is not None:
        pass
    theirs.close()
    while mine.until("here")["seats"][1]["since"] is None:
        pass
    there.stop()
