"""What a server does without its database, and when it is told to stop; how processes know of each other."""

import asyncio
import contextlib
import os
import sqlite3
import time
from pathlib import Path

import httpx
import pytest

from tercet.server.store import lease, pubsub
from tercet.server.store.database import Now, address
from tests.server.conftest import Serve, Wire
from tests.support import services
from tests.support.processes import ServerProcess, read_logs

EGG = {"kind": "turn", "seconds": 3}


@pytest.mark.online
def test_the_database_goes_away_and_comes_back(serve: Serve) -> None:
    if services.missing():
        pytest.skip(services.missing())
    with contextlib.closing(services.Postgres(durable=True)) as own:
        server = serve(postgres=own, database=own.create())
        table, (mine, theirs) = server.friends(clock=EGG)
        assert mine.act(0, "Rd4", id="before")["type"] == "ack"
        own.stop()
        theirs.say({"type": "act", "id": "during", "ply": 1, "action": "Yd5"})
        time.sleep(3.5)  # what is tested: an absence longer than the turn
        assert server.http.get("/health").status_code == 200
        own.start()
        while (answer := theirs.until("ack", "error"))["type"] == "error":
            assert (answer["code"], answer["where"]) in (("unavailable", "server"), ("unavailable", "database"))
            theirs.say({"type": "act", "id": "during", "ply": 1, "action": "Yd5"})
        assert answer["id"] == "during"
        assert mine.act(0, "Rd4", id="before") == {"type": "ack", "id": "before", "number": 1}
        kinds = [one.kind for one in read_logs(address(server.options["database"]))[table["id"]]]
        assert kinds.count("action") == 2
        server.stop()


@pytest.mark.online
def test_a_server_told_to_stop_hands_its_tables_over(tmp_path: Path) -> None:
    server = ServerProcess({"TERCET_DATA": str(tmp_path), "TERCET_ENGINES": "0"})
    asyncio.run(server.start())
    try:
        body = {"game": "sanqi", "options": {"side": 4}, "seats": [{"kind": "me"}, {"kind": "here"}]}
        table = httpx.post(f"http://{server.base}/api/tables", json=body).json()
        query = "&".join(f"seat={seat['token']}" for seat in table["seats"])
        wire = Wire(f"ws://{server.base}/api/tables/{table['id']}/live?{query}", {})
        assert wire.act(0, "Rd4")["type"] == "ack"
        asyncio.run(server.stop())
        assert wire.until_closed() == 1012
        wire.close()
    finally:
        server.kill()
    with contextlib.closing(sqlite3.connect(tmp_path / "tercet.sqlite")) as connection:
        assert connection.execute("SELECT owner, number FROM tables").fetchall() == [(None, 1)]


def test_a_process_of_this_machine_is_known_to_be_gone() -> None:
    here = lease._machine()
    assert lease._has_exited(f"{here} {os.getpid()} gone")  # this process, started anew in it
    lease.LIVING.add(f"{here} {os.getpid()} living")
    assert not lease._has_exited(f"{here} {os.getpid()} living")
    lease.LIVING.discard(f"{here} {os.getpid()} living")
    exited = [lease._has_exited(name) for name in (f"{here} 4194305 x", "elsewhere 4194305 x", "")]
    assert exited == [True, False, False]  # no process can have this number
    # The time is that of whom it follows.
    now, ahead = Now(), time.time() - time.monotonic() + 100
    for more, error in ((3, 0.5), (0, 0.001), (9, 0.9)):
        now.follow(ahead + more, error)
    assert abs(now() - 1000 * (time.monotonic() + ahead)) < 50


def test_a_bus_that_cannot_be() -> None:
    for url in ("http://x", "redis://[", "nonsense"):
        with pytest.raises(pubsub.PubSubError):
            pubsub.checked(url)
