"""Logs that are not on disk as they were written: it is noticed, said, and never played over."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest
import sqlalchemy as sa

from tercet.cli.database import run as run_database
from tercet.server.store import Database, Store, TableInfo, address, migrate
from tercet.server.store.schema import EVENTS, TABLES
from tercet.server.tables.state import DAMAGED
from tercet.session import LogEvent, Seat, TableSettings
from tests.server.conftest import Serving
from tests.support.waiting import until

SETUP = TableSettings("sanqi", {"side": 4}, (Seat("person", "Ann"), Seat("person")))
EVENTS_OF_A_GAME = (
    LogEvent(1, "sit", {"seat": 1, "name": "Bob"}),
    LogEvent(2, "action", {"ply": 0, "seat": 0, "action": "Rd4"}),
    LogEvent(3, "action", {"ply": 1, "seat": 1, "action": "Yd5"}),
)
ROT = {
    "an action that is another one": "UPDATE events SET data = replace(data, 'd4', 'd3') WHERE number = 2",
    "text that is no text": "UPDATE events SET data = CAST(x'7bff00' AS TEXT) WHERE number = 2",
    "an event of another kind": "UPDATE events SET kind = 'resign' WHERE number = 2",
    "another client's id": "UPDATE events SET client_id = '1:stolen' WHERE number = 2",
    "another time": "UPDATE events SET at = at + 1 WHERE number = 2",
    "a digest": "UPDATE events SET digest = x'00' WHERE number = 2",
    "an event that is gone": "DELETE FROM events WHERE number = 2",
    "events at the end that are gone": "DELETE FROM events WHERE number > 1",
    "events that changed places": "UPDATE events SET number = 5 - number WHERE number > 1 AND table_id = 't'",
    "the newest number": "UPDATE tables SET number = 1",
    "the newest digest": "UPDATE tables SET digest = x'00'",
    "the settings": "UPDATE tables SET setup = replace(setup, '4', '5')",
}


async def _written(where: str) -> Store:
    migrate(address(where))
    kept = Store(Database(address(where)))
    await kept.open_table(TableInfo("t", SETUP), {})
    for event in EVENTS_OF_A_GAME:
        await kept.append("t", [event], f"0:{event.number}")
    return kept


@pytest.mark.parametrize("rot", ROT.values(), ids=list(ROT))
def test_what_has_rotted_is_noticed(tmp_path: object, rot: str) -> None:
    """When the table is read, by a process that has it in memory, and by the operator's check."""
    where = f"{tmp_path}/tercet.sqlite"

    async def work() -> None:
        kept = await _written(where)
        whole = await kept.load("t")
        assert whole is not None
        assert (whole.log, whole.damage, await kept.damaged()) == (EVENTS_OF_A_GAME, None, {})
        with closing(sqlite3.connect(where)) as connection:
            if "5 - number" in rot:  # by way of a number that is free
                connection.execute("UPDATE events SET number = -2 WHERE number = 2")
                connection.execute("UPDATE events SET number = 2 WHERE number = 3")
                connection.execute("UPDATE events SET number = 3 WHERE number = -2")
            else:
                connection.execute(rot)
            connection.commit()
        found = await kept.load("t")
        assert found is not None
        assert found.damage is not None
        assert found.log == EVENTS_OF_A_GAME[: len(found.log)]  # nothing that was not written
        assert (await kept.damaged())["t"] == (len(found.log), found.damage)
        if "tables" in rot and "setup" not in rot:
            assert (await kept.since("t", 3, whole.digest)).fault is not None
        await kept.database.close()

    asyncio.run(work())


def test_damage_is_noticed_in_both_databases(database: str) -> None:
    """A row rewritten, and the end of a log lost that a process still has in memory, as after a failover."""

    async def work() -> None:
        kept = await _written(database)
        whole = await kept.load("t")
        assert whole is not None
        before = await kept.since("t", 2, b"")
        assert before.fault == "event 3 is not as it was written"
        async with kept.database.write() as connection:
            await connection.execute(EVENTS.delete().where(EVENTS.c.number == 3))
            digest = await connection.scalar(sa.select(EVENTS.c.digest).where(EVENTS.c.number == 2))
            await connection.execute(TABLES.update().values(number=2, digest=digest))
        assert (await kept.since("t", 3, whole.digest)).fault is not None
        shorter = await kept.load("t")
        assert shorter is not None
        assert shorter.damage is None  # in itself it is whole: only what is known elsewhere tells
        async with kept.database.write() as connection:
            await connection.execute(EVENTS.update().where(EVENTS.c.number == 1).values(data={"seat": 0}))
        assert (await kept.damaged())["t"] == (0, "event 1 is not as it was written")
        await kept.database.close()

    asyncio.run(work())


def test_names_can_be_erased(database: str) -> None:
    """As when an account is deleted."""

    async def work() -> None:
        kept = await _written(database)
        async with kept.database.write() as connection:
            setup = SETUP.data()
            setup["seats"][0]["name"] = ""
            await connection.execute(TABLES.update().values(setup=setup))
            await connection.execute(EVENTS.update().where(EVENTS.c.kind == "sit").values(data={"seat": 1}))
        found = await kept.load("t")
        assert found is not None
        assert (found.damage, len(found.log)) == (None, 3)
        await kept.database.close()

    asyncio.run(work())


def damage(server: Serving, *statements: str) -> None:
    """Do that to a server's database behind its back."""
    with closing(sqlite3.connect(server.folder / "tercet.sqlite")) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def refused(server: Serving, table: str, tokens: list[str]) -> None:
    """The table is read, and every player hears why it is not played on; no flag falls."""
    wire = server.wire(table, *tokens)
    assert wire.hear()["type"] == "snapshot"
    told = wire.until("error")
    assert (told["code"], told["why"]) == ("damaged", DAMAGED)
    assert wire.act(1, "Yd5")["code"] == "damaged"
    assert "tercet_damaged_tables_total 0.0" not in server.http.get("/metrics").text


@pytest.mark.server_errors("is damaged and cannot be played on: event 2 is not as it was written")
def test_a_damaged_game_is_read_and_not_played_on(
    serve: Callable[..., Serving], capsys: pytest.CaptureFixture[str]
) -> None:
    """The other games go on. The operator cuts the log, and the game goes on from its last good event."""
    server = serve()
    tables = [server.open("me", "here", clock={"kind": "turn", "seconds": 60}) for _ in range(2)]
    for table in tables:
        wire = server.wire(table["id"], *table["tokens"])
        wire.hear()
        assert wire.act(0, "Rd4", id="one")["type"] == "ack"
        assert wire.act(1, "Yd5", id="two")["type"] == "ack"
    server.stop()
    first = tables[0]["id"]
    damage(server, f"UPDATE events SET data = replace(data, 'd5', 'd6') WHERE number = 2 AND table_id = '{first}'")
    damage(server, "UPDATE tables SET deadline = 1")
    server.start()
    wire = server.wire(first, *tables[0]["tokens"])
    state = wire.hear()["state"]
    assert ([move["text"] for move in state["moves"]], state["flagged"]) == (["Rd4"], [])
    refused(server, first, tables[0]["tokens"])
    other = server.wire(tables[1]["id"], *tables[1]["tokens"])
    other.hear()
    assert other.act(1, "Yd5", id="two")["number"] == 2
    assert server.http.get(f"/api/tables/{first}").json()["state"]["over"] is False
    capsys.readouterr()
    assert run_database("check", None, server.folder, None, True) == 1
    assert json.loads(capsys.readouterr().out)[first]["last"] == 1
    server.stop()
    assert run_database("cut", first, server.folder, None, False) == 0
    assert run_database("check", None, server.folder, None, False) == 0
    assert capsys.readouterr().out.endswith("All games are as they were written.\n")
    server.start()
    again = server.wire(first, *tables[0]["tokens"])
    again.hear()
    assert again.act(1, "Yd5")["type"] == "ack"


@pytest.mark.server_errors("event 2 is missing from the database, though it was written")
def test_a_lost_end_of_the_log_is_noticed_at_the_start(serve: Callable[..., Serving]) -> None:
    """SQLite drops what follows a bad page of its log: here all of it is replaced by what was there before."""
    server = serve()
    table = server.open("me", "here")
    wire = server.wire(table["id"], *table["tokens"])
    wire.hear()
    assert wire.act(0, "Rd4")["type"] == "ack"
    wire.close()
    server.stop()
    file = server.folder / "tercet.sqlite"
    shutil.copy(file, server.folder / "before")
    server.start()
    wire = server.wire(table["id"], *table["tokens"])
    wire.hear()
    assert wire.act(1, "Yd5")["type"] == "ack"
    server.stop()
    (server.folder / "before").replace(file)
    server.start()
    refused(server, table["id"], table["tokens"])


@pytest.mark.server_errors("is damaged and cannot be played on: event 2 is missing from the database")
def test_a_database_that_has_lost_what_a_process_knows(serve: Callable[..., Serving]) -> None:
    """As after a failover to a replica that was behind: who is at the table is told, and nothing is played over."""
    server = serve()
    opened, wire = server.both()
    assert wire.act(0, "Rd4")["type"] == "ack"
    assert wire.act(1, "Yd5")["type"] == "ack"
    damage(
        server,
        "DELETE FROM events WHERE number = 2",
        "UPDATE tables SET number = 1, digest = (SELECT digest FROM events WHERE number = 1)",
    )
    wire.say({"type": "act", "id": "three", "ply": 2, "action": "Re4"})
    told = [wire.until("error") for _ in range(2)]
    assert {one["code"] for one in told} == {"damaged"}
    until(lambda: "tercet_damaged_tables_total 0.0" not in server.http.get("/metrics").text)
    moves = server.http.get(f"/api/tables/{opened}").json()["state"]["moves"]
    assert [move["text"] for move in moves] == ["Rd4", "Yd5"]  # what was acknowledged is shown
