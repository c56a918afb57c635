"""What players see, and what is kept, where the disk is full, may only be read, or has damaged the file."""

import contextlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tercet.server.store.database import Database
from tercet.server.tables import table
from tests.server.conftest import Patch, Serve
from tests.support.waiting import until


def tell(database: Database, pragma: str) -> None:
    """Tell SQLite something on the connection that writes."""

    def say() -> None:
        with contextlib.closing(database._kept or database._writer.connect()) as connection:
            connection.connection.cursor().execute(f"PRAGMA {pragma}").fetchall()
        database._kept = None

    database._threads.submit(say).result()


TROUBLES = {  # what sets it off in SQLite, what ends it, and what the operator reads
    "a full disk": ("max_page_count = 1", "max_page_count = 1000000", "database or disk is full"),
    "a file that may only be read": ("query_only = ON", "query_only = OFF", "attempt to write a readonly database"),
}


@pytest.mark.online
@pytest.mark.parametrize("kind", TROUBLES)
def test_play_waits_for_the_disk(serve: Serve, monkeypatch: Patch, caplog: pytest.LogCaptureFixture, kind: str) -> None:
    """Whoever acts is told that it could not be written, and may send it again; what was acknowledged stays. The
    operator reads why, and balancers send nobody."""
    trouble, relief, reason = TROUBLES[kind]
    monkeypatch.setattr(table, "PATIENCE_SECONDS", 0.5)
    server = serve()
    opened, wire = server.both()
    assert wire.act(0, "Rd4", id="kept")["type"] == "ack"
    database = server.app.state.services.registry.store.database
    tell(database, trouble)
    for number in range(200):  # the pages that there are have room for some more
        message: dict[str, Any] = {"type": "act", "action": "Yd5"} if number % 2 == 0 else {"type": "takeback"}
        answer = wire.ask(**message, ply=1, id=(last := f"m{number}"))
        if answer["type"] == "error":
            break
    assert (answer["code"], answer["where"]) == ("unavailable", "server")
    assert answer["why"] == "The game could not be saved. Send your move again."
    assert any(one.getMessage().startswith("cannot write: ") and reason in one.getMessage() for one in caplog.records)
    if trouble.startswith("query"):  # of the full disk only the pages of the file are limited here, not its log
        until(lambda: server.http.get("/ready").status_code == 503, what="a server that cannot write is ready")
    tell(database, relief)
    until(lambda: server.http.get("/ready").status_code == 200, what="a server that can write again is not ready")
    assert (wire.ask(**message, ply=1, id=last)["type"], wire.act(0, "Rd4", id="kept")["number"]) == ("ack", 1)
    before = server.http.get(f"/api/tables/{opened}").json()["state"]
    server.restart()
    assert server.http.get(f"/api/tables/{opened}").json()["state"]["moves"] == before["moves"]


def test_a_file_that_is_damaged_meanwhile(serve: Serve, monkeypatch: Patch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(table, "PATIENCE_SECONDS", 0.5)
    server = serve()
    _, wire = server.both()
    assert wire.act(0, "Rd4")["type"] == "ack"
    database = server.app.state.services.registry.store.database
    tell(database, "wal_checkpoint(TRUNCATE)")
    file = server.folder / "tercet.sqlite"
    with file.open("r+b") as damaged:
        damaged.seek(4096)
        damaged.write(b"\xff" * (file.stat().st_size - 4096))
    tell(database, "shrink_memory")
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(wire.act, 1, "Yd5").result(60)
    assert (answer["type"], answer.get("code")) == ("error", "unavailable")
    assert server.http.get("/health").status_code == 200
    until(lambda: server.http.get("/ready").status_code == 503)
    assert any("malformed" in one.getMessage() for one in caplog.records)
