"""Several server processes on one database."""

import asyncio
import time
from typing import Any
from unittest.mock import AsyncMock

import pytest
import sqlalchemy as sa

from tercet.server.store import lease
from tercet.server.store.schema import TABLES
from tercet.server.tables import registry
from tercet.server.tables.registry import TableRegistry
from tests.server.conftest import Patch, Serve, Serving, Wire
from tests.support import services
from tests.support.waiting import until

pytestmark = pytest.mark.online

EGG = {"kind": "turn", "seconds": 3}
Pair = tuple[Serving, Serving]


@pytest.fixture
def pair(serve: Serve, redis: services.Redis) -> Pair:
    """Two processes that hear of each other by Redis."""
    here = serve(redis=redis.url)
    return here, here.another()


def registry_of(server: Any) -> TableRegistry:
    found: TableRegistry = server.server.config.app.state.services.registry
    return found


def row_of(server: Any, table: str) -> Any:
    """What is kept of the table beside its log."""
    engine = sa.create_engine(registry_of(server).store.database._writer.url, poolclass=sa.NullPool)
    with engine.connect() as connection:
        return connection.execute(sa.select(TABLES).where(TABLES.c.id == table)).one()


def friends(here: Serving, there: Serving, **wish: Any) -> tuple[Any, Wire, Wire]:
    """A game of two, the second of whom is at another process, and their sockets."""
    table = here.open("me", "friend", **wish)
    wires = [one.wire(table["id"], token) for one, token in zip((here, there), table["tokens"], strict=True)]
    assert {wire.hear()["type"] for wire in wires} == {"snapshot"}
    return table, wires[0], wires[1]


def die(server: Any, table: str) -> None:
    """Let nobody see the server's process any more, though it does not know, and put the table away there."""
    known = registry_of(server)

    async def beat() -> bool:
        known.lease._noted = time.monotonic()
        return False

    known.lease.beat = beat  # type: ignore[method-assign]
    known._tables[table].put_away()


def events(wire: Wire) -> list[dict[str, Any]]:
    return [message for message in wire.heard if message["type"] == "event"]


@pytest.mark.parametrize("how", ["by Redis", "by looking"])
def test_one_process_tells_the_other(serve: Serve, redis: services.Redis, how: str, monkeypatch: Patch) -> None:
    here = serve(redis=redis.url if how == "by Redis" else None)
    there = here.another()
    if how == "by Redis":
        monkeypatch.setattr(registry_of(there), "_follow", AsyncMock())  # it does not look
    table, mine, theirs = friends(here, there)
    assert mine.act(0, "Rd4", id="a") == {"type": "ack", "id": "a", "number": 1}
    heard = theirs.until("event", kind="action")
    assert (heard["action"], heard["state"]["mover"]) == ("Rd4", 1)
    assert heard["state"]["view"]["paths"]
    assert theirs.act(1, "Yd5")["number"] == 2
    assert mine.until("event", kind="action")["number"] == 2
    both = there.wire(table["id"], *table["tokens"])
    assert both.act(0, "Rd4", id="a") == {"type": "ack", "id": "a", "number": 1}
    assert (mine.act(2, "Bc4")["number"], both.act(2, "Bc3")["code"], both.state["ply"]) == (3, "stale-ply", 3)


def test_without_redis_for_a_while(pair: Pair, redis: services.Redis) -> None:
    _, mine, theirs = friends(*pair)
    redis.stop()
    assert mine.act(0, "Rd4")["type"] == "ack"
    assert theirs.until("event", kind="action")["number"] == 1  # found in the database
    redis.start()
    until(lambda: all(registry_of(server).pubsub._well for server in pair))  # type: ignore[attr-defined]
    assert theirs.act(1, "Yd5")["type"] == "ack"
    assert mine.until("event", kind="action")["number"] == 2


def test_one_process_judges_flags_and_moves_engines(pair: Pair) -> None:
    here, there = pair
    table = here.open("me", "engine")
    wires = [server.wire(table["id"], table["tokens"][0]) for server in pair]
    for wire in wires:
        wire.hear()
    tables = [registry_of(server)._tables[table["id"]] for server in pair]
    assert [one.owned for one in tables].count(True) == 1  # the first, unless it was late
    assert wires[1].act(0, "Rd4")["type"] == "ack"
    assert [wire.until("event", kind="action", seat=1)["number"] for wire in wires] == [2, 2]
    _, mine, theirs = friends(there, here, clock=EGG)
    assert mine.act(0, "Rd4")["type"] == "ack"
    assert [wire.until("event", kind="flag")["seat"] for wire in (mine, theirs)] == [1, 1]
    assert theirs.act(1, "Yd5")["code"] == "over"


def test_tables_of_a_process_that_is_gone_are_taken_over_with_clocks_that_stood(pair: Pair) -> None:
    here, there = pair
    table, mine, theirs = friends(here, there, clock=EGG)
    assert mine.act(0, "Rd4")["type"] == "ack"
    assert theirs.until("event")["state"]["clock"]["running"] == 1
    die(here, table["id"])
    before = len(events(theirs))
    assert theirs.act(1, "Yd5")["type"] == "ack"  # though a flag would have fallen since
    heard = events(theirs)[before:]
    kinds = [message["kind"] for message in heard]
    if "resumed" in kinds:  # it was asked when the process was late already
        assert kinds == ["resumed", "action"]
        assert heard[0]["lost"] > 0
    ours, taken = (registry_of(server)._tables[table["id"]] for server in pair)
    until(lambda: taken.owned)
    assert not ours.owned or row_of(there, table["id"]).owner == registry_of(there).lease.process_id


def test_who_comes_soon_after_his_process_died_gets_time_back(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though the other process was seen so lately that it might still live."""
    monkeypatch.setattr(lease, "LATE_SECONDS", 3.0)  # so that on a busy machine, too, it is not late when he acts
    here = serve()
    there = here.another()
    table = here.open("me", "friend", clock={"kind": "fischer", "minutes": 1, "increment": 0})
    assert here.wire(table["id"], table["tokens"][0]).act(0, "Rd4")["type"] == "ack"
    die(here, table["id"])
    time.sleep(1.2)  # what is tested: the time until he has found another process
    theirs = there.wire(table["id"], table["tokens"][1])
    assert theirs.act(1, "Yd5")["type"] == "ack"
    assert [message["kind"] for message in events(theirs)] == ["resumed", "action"]
    assert theirs.state["clock"]["left"][1] > 59_900


def test_a_flag_that_falls_while_its_owner_is_gone_is_judged_by_the_next(serve: Serve) -> None:
    here = serve()
    there = here.another()
    table = here.open("me", "friend", clock=EGG)
    mine = here.wire(table["id"], table["tokens"][0])
    assert mine.act(0, "Rd4")["type"] == "ack"
    die(here, table["id"])
    theirs = there.wire(table["id"], table["tokens"][1])
    lost = theirs.until("event", kind="resumed")
    assert lost["lost"] >= 1000 * (lease.DEAD_SECONDS - 2 * lease.BEAT_SECONDS)
    assert not lost["state"]["over"]
    assert theirs.until("event", kind="flag")["at"] > lost["at"]
    assert mine.until("event", kind="flag")["seat"] == 1  # who thought it was the owner hears of it too
    assert [(one["kind"], one["number"]) for one in events(theirs)] == [("resumed", 2), ("flag", 3)]


def test_a_process_that_stood_still_gives_the_time_back_before_it_judges(serve: Serve) -> None:
    server = serve()
    _, (mine, theirs) = server.friends(clock=EGG)
    assert mine.act(0, "Rd4")["type"] == "ack"
    known = registry_of(server)
    run = known.lease.process_id

    async def hold() -> None:
        time.sleep(4.0)  # what is tested: the loop stands still, as if the process had been suspended

    asyncio.run_coroutine_threadsafe(hold(), known._endless[0].get_loop()).result(30)
    assert theirs.until("event", kind="resumed")["lost"] >= 2500
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


def test_who_is_here_and_which_tokens_are_dead_is_known_in_every_process(pair: Pair) -> None:
    here, there = pair
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
    theirs = there.wire(table["id"], table["tokens"][1])
    assert theirs.hear()["state"]["yourSeats"] == [1]
    assert here.http.post(f"/api/tables/{table['id']}/seats/1/link").status_code == 201
    assert (theirs.until("snapshot")["state"]["yourSeats"], theirs.act(0, "Rd4")["code"]) == ([], "not-your-seat")
