"""However many come to a table and go again, those who play there notice little of it."""

from collections.abc import Callable
from typing import Any

import pytest

from tercet.server.tables import state
from tercet.server.tables.clients import view_of
from tests.server.conftest import Serving
from tests.support.waiting import until


def test_arrivals_are_told_together(serve: Callable[..., Serving], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "PRESENCE_SECONDS", 1e9)
    server = serve()
    table, wire = server.both()
    watchers = [server.wire(table) for _ in range(20)]
    for watcher in watchers:
        watcher.hear()
    assert wire.ask(type="nonsense")["type"] == "error"  # by then all that was told before has been heard
    assert [message["watchers"] for message in wire.heard if message["type"] == "here"] == [1]
    known = server.app.state.services.registry.known(table)
    assert known.presence.watchers == 20
    for watcher in watchers[10:]:
        watcher.close()
    until(lambda: known.presence.watchers == 10)
    monkeypatch.setattr(state, "PRESENCE_SECONDS", 0.0)
    server.wire(table).hear()
    assert wire.until("here")["watchers"] == 11


def test_a_snapshot_is_made_once_for_all_who_come(
    serve: Callable[..., Serving], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    def counted(session: Any, paths: bool) -> Any:
        made.append(session)
        return view_of(session, paths)

    monkeypatch.setattr(state, "view_of", counted)
    server = serve()
    table, wire = server.both()
    seen = [server.wire(table).hear() for _ in range(5)]
    assert len(made) == 1
    assert all(not one["state"]["view"]["paths"] and not one["state"]["yourSeats"] for one in seen)
    whole = wire.heard[-1] if wire.heard[-1]["type"] == "snapshot" else wire.heard[0]
    assert whole["state"]["view"]["paths"]
    assert {**whole["state"]["view"], "paths": [], "gestures": []} == seen[0]["state"]["view"]
    assert wire.act(0, whole["state"]["view"]["paths"][0][0])["type"] == "ack"
    assert server.wire(table).hear()["state"]["ply"] == 1
    assert len(made) == 2
    assert server.http.get(f"/api/tables/{table}").json()["state"]["moves"][0]["ply"] == 0
    assert len(made) == 2
