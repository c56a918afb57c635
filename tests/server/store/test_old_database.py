"""A database that a released version wrote (with ``data/make_database.py``) is opened, and its games go on. Positions
of SanQi of version 0.2 name their set-up of five pieces: the default has been three since."""

import gzip
import json
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

import tercet
from tercet.server.store.database import address, migrate
from tercet.server.store.schema import METADATA
from tests.server.conftest import Serve, Serving, play
from tests.support import services

LATER = "conditional_moves analysis_editors analysis_chapters analyses notice_devices notice_settings vacations seeks"


def mark(where: str, revision: str) -> None:
    url = address(where)
    url = url.set(drivername="sqlite") if url.drivername.startswith("sqlite") else url
    with sa.create_engine(url, poolclass=sa.NullPool).begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = :revision"), {"revision": revision})


def differences(path: Path) -> list[Any]:
    """What of a database of SQLite's is not the schema of the code."""
    with sa.create_engine(f"sqlite:///{path}", poolclass=sa.NullPool).connect() as connection:
        return list(compare_metadata(MigrationContext.configure(connection), METADATA))


def test_a_database_of_the_first_release_is_brought_up_to_date(tmp_path: Path) -> None:
    where = tmp_path / "tercet.sqlite"
    migrate(address(where))
    with sa.create_engine(f"sqlite:///{where}", poolclass=sa.NullPool).begin() as connection:
        for column in ("reports.analysis_id", "puzzle_tries.motif", "tables.reminded", "people.was"):
            connection.execute(sa.text("ALTER TABLE {} DROP COLUMN {}".format(*column.split("."))))
        for table in (*LATER.split(), "name_skeletons"):
            connection.execute(sa.text(f"DROP TABLE {table}"))
        connection.execute(sa.text("CREATE TABLE name_skeletons (skeleton VARCHAR(120), person_id VARCHAR(24))"))
    mark(str(where), "0010")
    migrate(address(where))
    assert differences(where) == []


@pytest.mark.online
def test_processes_that_create_a_database_at_once_wait_for_each_other(tmp_path: Path) -> None:
    with ProcessPoolExecutor(4) as processes:
        for number in range(5):
            list(processes.map(migrate, [address(tmp_path / f"{number}.sqlite")] * 4))


def test_a_start_on_todays_database_loads_no_alembic(tmp_path: Path) -> None:
    """Alembic and what it loads would be a fifth of the time until the server answers."""
    migrate(address(tmp_path / "tercet.sqlite"))
    code = "import sys, tercet.server.app, tercet.server.run; from tercet.server.store import database as one; "
    code += "one.migrate(one.address(sys.argv[1])); assert 'alembic' not in sys.modules"
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "tercet.sqlite")], check=True, timeout=120)


DATA = Path(__file__).parent / "data"
VERSIONS = sorted(path.name.removesuffix(".sql.gz") for path in DATA.glob("*.sql.gz"))
assert VERSIONS, "there is an old database"
SAME = ("moves", "number", "ply", "mover", "over", "resigned", "flagged", "left", "retractions", "adjourned")
SETTLED = ("takebackRule", "confirm", "chat", "rated", "speed", "watch", "gone")


class Old:
    """A server on a copy of an old database, and what the old server told of it."""

    def __init__(self, version: str, folder: Path) -> None:
        self.told: dict[str, Any] = json.loads(gzip.decompress((DATA / f"{version}.json.gz").read_bytes()))
        with sqlite3.connect(folder / "tercet.sqlite") as database:
            database.executescript(gzip.decompress((DATA / f"{version}.sql.gz").read_bytes()).decode())
        database.close()
        self.server = Serving(folder)

    def ask(self, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
        """The answer, asked for again where the server says that it will have one in a moment."""
        for _ in range(20):
            answer = self.server.http.request("GET" if body is None else "POST", path, json=body)
            if answer.status_code not in (429, 503):
                break
            time.sleep(0.5)
        assert answer.status_code == 200, answer.text
        return answer

    def state(self, table: str) -> Any:
        return self.ask(f"/api/tables/{table}").json()["state"]


@pytest.fixture(params=VERSIONS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Old]:
    made = Old(request.param, tmp_path)
    yield made
    made.server.stop()


def test_records_and_states_are_what_they_were(old: Old) -> None:
    assert len(old.told["records"]) > 20
    for table, record in old.told["records"].items():
        before, now = old.told["states"][table], old.state(table)
        later = "coins=10 tribute=on points=all ends=last"  # options that came later
        record = record.replace('array=tercet"]', f'array=tercet {later}"]')
        record = re.sub(r'( setup=\d+)"\]', r'\1 line=6 triangle=both"]', record)
        assert old.ask(f"/api/tables/{table}/record").text == record
        for told in (before, now):  # a later version may say moves in other words
            told["moves"] = [{**move, "says": None, "brief": None} for move in told["moves"]]
        for name in (*SAME, *SETTLED):
            resumed = name == "number" and now["clock"] is not None  # the time that nobody served is given back
            assert now[name] == before[name] or resumed, (table, name)
        for name in ("position", "outcome"):
            assert now["view"][name] == before["view"][name], (table, name)
        assert bool(now["result"]) == bool(before["result"])  # here too


def test_games_go_on(old: Old) -> None:
    went_on: set[str] = set()
    for table, tokens in old.told["tokens"].items():
        before = old.told["states"][table]
        if before["over"]:
            continue
        wire = old.server.wire(table, *filter(None, tokens))
        snapshot = wire.hear()
        if before["adjourned"]:
            wire.done(type="continue")
        action = str(tercet.parse(snapshot["state"]["view"]["position"]).legal_actions[0])
        play([wire], action, before["ply"])
        if before["ply"] and before["takebackRule"] == "consent":
            wire.done(type="takeback", ply=before["ply"])
            play([wire], action, before["ply"])
        went_on.add(snapshot["table"]["game"])
    assert went_on == set(tercet.games())
    old.server.restart()
    for table in old.told["tokens"]:
        before, now = old.told["states"][table], old.state(table)
        assert now["ply"] == before["ply"] + (not before["over"]), table
        assert not now["flagged"] or before["flagged"]


def test_people_talk_and_tournaments_are_still_there(old: Old) -> None:
    signed_in = {"handle": "ada", "password": "a long enough secret"}
    assert old.ask("/api/session", signed_in).json()["person"]["handle"] == "ada"
    profile, before = old.ask("/api/people/ada").json(), old.told["profile"]
    now, then = ([(one["game"], one["games"]) for one in told["ratings"]] for told in (profile, before))
    assert now == then
    assert profile["games"] == before["games"]
    tournament = old.ask(f"/api/tournaments/{old.told['tournament']['id']}").json()
    for name in ("standings", "pairings", "state", "name"):
        assert tournament[name] == old.told["tournament"][name]
    said = []
    for table, tokens in old.told["tokens"].items():
        if old.told["states"][table]["chat"]:
            said += [line["text"] for line in old.server.wire(table, tokens[0]).until("talked")["lines"]]
    assert sorted(said) == sorted(f"well played, {game}" for game in tercet.games())


TOLD = (Path(__file__).parents[3] / "docs" / "operations.md").read_text("utf-8")


def commands(first: str) -> list[str]:
    """The lines of the documentation's block of commands that begins with ``first``."""
    block = next(block for block in re.findall(r"```sh\n(.*?)```", TOLD, re.DOTALL) if block.startswith(first))
    return [line for line in block.splitlines() if not line.startswith("#")]


def run(lines: list[str], postgres: services.Postgres, folder: Path) -> None:
    """Do what is said there, on a server of one's own, with backups in ``folder``."""
    programs = str(Path(str(services._binary("initdb"))).parent)
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "PGHOST": "127.0.0.1", "PGUSER": "postgres"}
    environment["PGPORT"] = str(postgres.port)
    for line in lines:
        said = re.sub(r"/backup/tercet-.*?\.dump", str(folder / "tercet.dump"), line)
        said = said.replace("sudo -u postgres ", "").replace("--pwprompt ", "")
        subprocess.run(["/bin/sh", "-ec", said], check=True, env=environment)


@pytest.mark.online
def test_postgresql_as_it_is_told(serve: Serve, postgres: services.Postgres, tmp_path: Path) -> None:
    """A role without privileges owns the database, and a restored backup is what it was."""
    run(commands("sudo -u postgres createuser"), postgres, tmp_path)
    server = serve(database=f"postgresql://tercet@127.0.0.1:{postgres.port}/tercet", postgres=postgres)
    table, wire = server.both()
    assert wire.act(0, "Rd4")["type"] == "ack"
    before = server.http.get(f"/api/tables/{table}/record").text
    run(commands("sudo -u postgres pg_dump")[:1], postgres, tmp_path)
    assert wire.act(1, "Yd5")["type"] == "ack"
    server.stop()
    run(commands("sudo -u postgres pg_dump")[1:], postgres, tmp_path)
    server.start()
    assert server.http.get(f"/api/tables/{table}/record").text == before
