"""A live server whose games are damaged on disk: players are told, and nothing is played over."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tercet.cli import server as cli
from tercet.server.store.logs import Heads
from tercet.server.tables.state import DAMAGED, LOST
from tests.server.conftest import Serve, Serving, Wire, code
from tests.support.waiting import until


def damage(server: Serving, *statements: str) -> None:
    """Do that to a server's database behind its back."""
    with closing(sqlite3.connect(server.folder / "tercet.sqlite")) as connection:
        connection.executescript("; ".join(statements))


def joined(server: Serving, table: dict[str, Any]) -> Wire:
    """A client that holds all seats of a table, its snapshot heard."""
    wire = server.wire(table["id"], *table["tokens"])
    assert wire.hear()["type"] == "snapshot"
    return wire


def checked(server: Serving, capsys: pytest.CaptureFixture[str]) -> Any:
    """What the operator's check says about damaged games."""
    capsys.readouterr()
    assert cli.database("check", None, server.folder, None, True) == 1
    return json.loads(capsys.readouterr().out)


def refused(server: Serving, table: dict[str, Any]) -> None:
    """The table is read, and every player hears why it is not played on; no flag falls."""
    told = (wire := joined(server, table)).until("error")
    assert (told["code"], told["why"]) == ("damaged", DAMAGED)
    assert wire.act(1, "Yd5")["code"] == "damaged"
    assert "tercet_damaged_tables_total 0.0" not in server.http.get("/metrics").text


@pytest.mark.server_errors("is damaged and cannot be played on: event 2 is not as it was written")
def test_a_damaged_game_is_read_and_not_played_on(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    server = serve()
    tables = [server.open("me", "here", clock={"kind": "turn", "seconds": 60}) for _ in range(2)]
    for one in tables:
        wire = joined(server, one)
        assert (wire.act(0, "Rd4", id="one")["type"], wire.act(1, "Yd5", id="two")["type"]) == ("ack", "ack")
    server.stop()
    first = tables[0]["id"]
    other = f"UPDATE events SET data = replace(data, 'd5', 'd6') WHERE number = 2 AND table_id = '{first}'"
    damage(server, other, "UPDATE tables SET deadline = 1")
    server.start()
    state = joined(server, tables[0]).heard[0]["state"]
    assert ([move["text"] for move in state["moves"]], state["flagged"]) == (["Rd4"], [])
    refused(server, tables[0])
    assert joined(server, tables[1]).act(1, "Yd5", id="two")["number"] == 2
    assert server.http.get(f"/api/tables/{first}").json()["state"]["over"] is False
    assert checked(server, capsys)[first]["last"] == 1
    server.stop()
    assert cli.database("cut", first, server.folder, None, False) == 0
    assert cli.database("check", None, server.folder, None, False) == 0
    assert capsys.readouterr().out.endswith("All games are as they were written.\n")
    server.start()
    assert joined(server, tables[0]).act(1, "Yd5")["type"] == "ack"


@pytest.mark.server_errors("event 2 is missing from the database, though it was written")
def test_a_lost_end_of_the_log_is_noticed_at_the_start(serve: Serve) -> None:
    """SQLite drops what follows a bad page of its log: here all of it is replaced by what was there before."""
    server = serve()
    table = server.open("me", "here")
    assert joined(server, table).act(0, "Rd4")["type"] == "ack"
    server.stop()
    file = server.folder / "tercet.sqlite"
    shutil.copy(file, server.folder / "before")
    server.start()
    assert joined(server, table).act(1, "Yd5")["type"] == "ack"
    server.stop()
    (server.folder / "before").replace(file)
    server.start()
    refused(server, table)


def damage_header(wal: Path) -> None:
    wal.write_bytes(bytes(4) + wal.read_bytes()[4:])


@pytest.mark.parametrize("harm", [Path.unlink, damage_header])
@pytest.mark.server_errors("event 1 is missing from the database, though it was written")
def test_tables_of_a_lost_wal_are_named_to_all(serve: Serve, capsys: pytest.CaptureFixture[str], harm: Any) -> None:
    """They were like tables that never were, nothing was logged, and the file that named them was emptied."""
    server = serve()
    server.restart()  # the schema is in the database itself
    table = server.open("me", "here")
    assert joined(server, table).act(0, "Rd4")["type"] == "ack"
    names = ("tercet.sqlite", "tercet.sqlite-wal", "tercet.sqlite-heads")
    files = {name: (server.folder / name).read_bytes() for name in names}
    assert table["id"].encode() in files["tercet.sqlite-heads"]
    server.stop()
    for name, data in files.items():  # as they are after a kill
        (server.folder / name).write_bytes(data)
    harm(server.folder / "tercet.sqlite-wal")
    for _ in range(2):
        server.start()
        answer = server.http.get(f"/api/tables/{table['id']}")
        assert (answer.status_code, code(answer), answer.json()["error"]["why"]) == (409, "damaged", LOST)
        assert "tercet_damaged_tables_total 0.0" not in server.http.get("/metrics").text
        assert server.http.get("/api/tables/0123456789abcdef").status_code == 404
        server.stop()
        assert files["tercet.sqlite-heads"] in (server.folder / "tercet.sqlite-heads").read_bytes()
    assert checked(server, capsys)[table["id"]]["last"] == 0
    assert cli.database("cut", table["id"], server.folder, None, False) == 0
    assert cli.database("check", None, server.folder, None, False) == 0
    server.start()
    assert server.http.get(f"/api/tables/{table['id']}").status_code == 404


@pytest.mark.server_errors("is damaged and cannot be played on: event 2 is missing from the database")
def test_a_database_that_has_lost_what_a_process_knows(serve: Serve) -> None:
    """As after a failover to a replica that was behind: who is at the table is told, and nothing is played over."""
    server = serve()
    opened, wire = server.both()
    assert (wire.act(0, "Rd4")["type"], wire.act(1, "Yd5")["type"]) == ("ack", "ack")
    shorter = "UPDATE tables SET number = 1, digest = (SELECT digest FROM events WHERE number = 1)"
    damage(server, "DELETE FROM events WHERE number = 2", shorter)
    wire.say({"type": "act", "id": "three", "ply": 2, "action": "Re4"})
    assert {one["code"] for one in [wire.until("error") for _ in range(2)]} == {"damaged"}
    until(lambda: "tercet_damaged_tables_total 0.0" not in server.http.get("/metrics").text)
    moves = server.http.get(f"/api/tables/{opened}").json()["state"]["moves"]
    assert [move["text"] for move in moves] == ["Rd4", "Yd5"]  # what was acknowledged is shown


def test_what_a_power_failure_left_of_the_file_of_heads_names_no_table(tmp_path: Path) -> None:
    """Zero bytes before the rest of a line were read as the name of a table, which was said to be lost."""
    heads = Heads(tmp_path / "heads")
    heads.note("t1", 3, bytes(16))
    heads.path.write_bytes(heads.path.read_bytes() + b"\0\0\0k2 5 " + b"ab" * 16 + b"\nt3 4 abab\n")
    assert heads.read() == {"t1": (3, bytes(16))}
