"""A database that a released version wrote is opened, and its games go on. ``version-0.2`` was written by the server
of version 0.2, with ``data/make_database.py``. Its positions of SanQi name their set-up of five pieces: the default has
been three since.
"""

import gzip
import json
import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import tercet
from tests.server.conftest import Serving

DATA = Path(__file__).parent / "data"
VERSIONS = sorted(path.name.removesuffix(".sql.gz") for path in DATA.glob("*.sql.gz"))
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

    def state(self, table: str) -> dict[str, Any]:
        """A table as it is now."""
        found: dict[str, Any] = self.ask(f"/api/tables/{table}").json()["state"]
        return found


@pytest.fixture(params=VERSIONS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Old]:
    """Served once more."""
    made = Old(request.param, tmp_path)
    yield made
    made.server.stop()


def test_there_is_an_old_database() -> None:
    assert VERSIONS


def test_records_and_states_are_what_they_were(old: Old) -> None:
    assert len(old.told["records"]) > 20
    for table, record in old.told["records"].items():
        before, now = old.told["states"][table], old.state(table)
        record = record.replace('array=tercet"]', 'array=tercet coins=10 tribute=on"]')  # options that came later
        record = re.sub(r'( setup=\d+)"\]', r'\1 line=6 triangle=both"]', record)
        assert old.ask(f"/api/tables/{table}/record").text == record
        for name in (*SAME, *SETTLED):
            if name == "moves":  # a later version may say them in other words
                for told in (before, now):
                    told[name] = [{**move, "says": None, "brief": None} for move in told[name]]
            resumed = name == "number" and now["clock"] is not None  # the time that nobody served is given back
            assert now[name] == before[name] or resumed, (table, name)
        assert now["view"]["position"] == before["view"]["position"]
        assert now["view"]["outcome"] == before["view"]["outcome"]
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
            assert wire.ask(type="continue")["type"] == "ack"
        action = str(tercet.parse(snapshot["state"]["view"]["position"]).legal_actions[0])
        assert wire.act(before["ply"], action)["type"] == "ack"
        if before["ply"] and before["takebackRule"] == "consent":
            assert wire.ask(type="takeback", ply=before["ply"])["type"] == "ack"
            assert wire.act(before["ply"], action)["type"] == "ack"
        went_on.add(snapshot["table"]["game"])
    assert went_on == set(tercet.games())
    old.server.restart()
    for table in old.told["tokens"]:
        before, now = old.told["states"][table], old.state(table)
        assert now["ply"] == before["ply"] + (not before["over"]), table
        assert not now["flagged"] or before["flagged"]


def test_people_talk_and_tournaments_are_still_there(old: Old) -> None:
    answer = old.ask("/api/session", {"handle": "ada", "password": "a long enough secret"})
    assert answer.json()["person"]["handle"] == "ada"
    profile, before = old.ask("/api/people/ada").json(), old.told["profile"]
    assert [(one["game"], one["games"]) for one in profile["ratings"]] == [
        (one["game"], one["games"]) for one in before["ratings"]
    ]
    assert profile["games"] == before["games"]
    tournament = old.ask(f"/api/tournaments/{old.told['tournament']['id']}").json()
    assert {name: tournament[name] for name in ("standings", "pairings", "state", "name")} == {
        name: old.told["tournament"][name] for name in ("standings", "pairings", "state", "name")
    }
    said = []
    for table, tokens in old.told["tokens"].items():
        if old.told["states"][table]["chat"]:
            said += [line["text"] for line in old.server.wire(table, tokens[0]).until("talked")["lines"]]
    assert sorted(said) == sorted(f"well played, {game}" for game in tercet.games())
