"""Whoever follows the lobby is told what has changed, not all of it again."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tercet.server.lobby import waiting_tables
from tercet.server.store import Database
from tests.server.conftest import Serving, Wire


def follow(server: Serving, query: str) -> Wire:
    """Follow the lobby."""
    wire = Wire(f"ws://127.0.0.1:{server.port}/api/lobby/live?{query}", {})
    server.wires.append(wire)
    return wire


def test_followers_are_told_what_has_changed(server: Serving) -> None:
    ann, bob = server.visitor(), server.visitor()
    first = ann.open("me", "open")["id"]
    wire = follow(server, "changes=true")
    assert first in [one["id"] for one in wire.until("lobby")["open"]]
    second = bob.open("me", "open")["id"]
    while second not in (told := wire.until("lobby-changes"))["open"]:
        pass
    assert [one["id"] for one in told["openChanged"]] == [second]
    assert first in told["open"]
    assert bob.sit(first, 1).status_code == 201
    while first in (told := wire.until("lobby-changes"))["open"]:
        pass
    assert second in told["open"]


def test_the_server_tells_a_page_at_a_time(serve: Callable[..., Serving]) -> None:
    """However many tables wait: of each page so many, in one order, and followers of one hear of that alone."""
    server = serve()
    ids = [server.visitor().open("me", "open")["id"] for _ in range(7)][::-1]
    other = server.visitor().open("me", "open", "open", game="triplicity", options={})["id"]
    pages = [server.http.get(f"/api/lobby?game=sanqi&page={page}&size=3").json() for page in range(4)]
    assert [[one["id"] for one in told["open"]] for told in pages] == [ids[:3], ids[3:6], ids[6:], ids[6:]]
    assert [(told["total"], told["page"]) for told in pages] == [(7, 0), (7, 1), (7, 2), (7, 2)]
    assert server.http.get("/api/lobby").json()["total"] == 8
    for wrong in ("page=-1", "size=0", "size=101", "page=x", f"game={'x' * 41}"):
        assert server.http.get(f"/api/lobby?{wrong}").status_code == 400
    second, last = (follow(server, f"changes=true&game=sanqi&size=3&page={page}") for page in (1, 9))
    assert [one["id"] for one in second.until("lobby")["open"]] == ids[3:6]
    assert [one["id"] for one in last.until("lobby")["open"]] == ids[6:]
    assert server.visitor().sit(ids[0], 1).status_code == 201
    told = second.until("lobby-changes")
    assert (told["open"], [one["id"] for one in told["openChanged"]]) == (ids[4:7], ids[6:])
    assert (told["total"], told["page"]) == (6, 1)
    told = last.until("lobby-changes")
    assert (told["open"], told["page"]) == (ids[4:7], 1)
    assert other not in json.dumps(second.heard + last.heard)


def test_of_thousands_of_tables_only_those_are_read_that_are_shown(
    serve: Callable[..., Serving], monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a change is told in as many bytes as on an empty evening."""
    read, real = list[int](), waiting_tables.told

    async def told(database: Database, ids: list[str]) -> dict[str, waiting_tables.Data]:
        read.append(len(ids))
        return await real(database, ids)

    async def order(database: Database) -> list[tuple[str, str]]:
        return [*await listed(database), *((f"t{number}", "sanqi") for number in range(4600))]

    listed = waiting_tables.order
    monkeypatch.setattr(waiting_tables, "told", told)
    monkeypatch.setattr(waiting_tables, "order", order)
    server = serve()
    wire = follow(server, "changes=true&size=6")
    assert wire.until("lobby")["total"] == 4600
    table = server.visitor().open("me", "open")["id"]
    while table not in (heard := wire.until("lobby-changes"))["open"]:
        pass
    assert max(read) <= 6
    assert len(json.dumps(heard)) < 1500
