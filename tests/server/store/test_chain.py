"""Logs that are not on disk as they were written."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from tercet.answers.tables import TableInfo
from tercet.play.session import LogEvent, Seat, TableSettings
from tercet.server.store.database import Database
from tercet.server.store.schema import EVENTS, TABLES
from tercet.server.store.tables import Store, StoredTable
from tests.support.present import present

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


async def _written(kept: Store) -> StoredTable:
    """A game on disk, as it is read."""
    await kept.open_table(TableInfo("t", SETUP), {})
    for event in EVENTS_OF_A_GAME:
        await kept.append("t", [event], f"0:{event.number}")
    return present(await kept.load("t"))


@pytest.mark.parametrize("rot", ROT.values(), ids=list(ROT))
async def test_what_has_rotted_is_noticed(sqlite: Database, tmp_path: Path, rot: str) -> None:
    """When the table is read, by a process that has it in memory, and by the operator's check."""
    kept = Store(sqlite)
    whole = await _written(kept)
    assert (whole.log, whole.damage, await kept.damaged()) == (EVENTS_OF_A_GAME, None, {})
    with closing(sqlite3.connect(tmp_path / "some.sqlite")) as connection:
        if "5 - number" in rot:  # by way of a number that is free
            connection.execute("UPDATE events SET number = -2 WHERE number = 2")
            connection.execute("UPDATE events SET number = 2 WHERE number = 3")
            connection.execute("UPDATE events SET number = 3 WHERE number = -2")
        else:
            connection.execute(rot)
        connection.commit()
    found = present(await kept.load("t"))
    assert found.damage is not None
    assert found.log == EVENTS_OF_A_GAME[: len(found.log)]  # nothing that was not written
    assert (await kept.damaged())["t"] == (len(found.log), found.damage)
    if "tables" in rot and "setup" not in rot:
        assert (await kept.since("t", 3, whole.digest)).fault is not None


async def test_damage_is_noticed_in_both_databases(kept: Store) -> None:
    """A row rewritten, and the end of a log lost that a process still has in memory, as after a failover."""
    whole = await _written(kept)
    before = await kept.since("t", 2, b"")
    assert before.fault == "event 3 is not as it was written"
    digest = await kept.database.scalar(sa.select(EVENTS.c.digest).where(EVENTS.c.number == 2))
    gone = EVENTS.delete().where(EVENTS.c.number == 3)
    await kept.database.change(gone, TABLES.update().values(number=2, digest=digest))
    assert (await kept.since("t", 3, whole.digest)).fault is not None
    shorter = present(await kept.load("t"))
    assert shorter.damage is None  # in itself it is whole: only what is known elsewhere tells
    await kept.database.change(EVENTS.update().where(EVENTS.c.number == 1).values(data={"seat": 0}))
    assert (await kept.damaged())["t"] == (0, "event 1 is not as it was written")


async def test_names_can_be_erased(kept: Store) -> None:
    """As when an account is deleted."""
    await _written(kept)
    setup = SETUP.data()
    setup["seats"][0]["name"] = ""
    nameless = EVENTS.update().where(EVENTS.c.kind == "sit").values(data={"seat": 1})
    await kept.database.change(TABLES.update().values(setup=setup), nameless)
    found = present(await kept.load("t"))
    assert (found.damage, len(found.log)) == (None, 3)
