"""Tables that were opened and that nobody follows leave memory."""

import dataclasses
from collections.abc import Callable

import pytest

from tercet.server.tables import registry
from tests.server.conftest import Serving
from tests.support.limits import OPEN
from tests.support.waiting import until

MOST = 100  # some 7 MB: a fortieth of what a process has that nobody uses


def test_of_many_tables_that_are_opened_few_stay_in_memory(
    serve: Callable[..., Serving], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "IDLE_SECONDS", 600.0)
    server = serve(limits=dataclasses.replace(OPEN, rows_per_minute=None))
    seats = [{"kind": "me"}, {"kind": "friend"}]
    for _ in range(MOST + 10):
        answer = server.http.post("/api/tables", json={"game": "sanqi", "options": {"side": 4}, "seats": seats})
        assert answer.status_code == 201
        server.http.get(f"/api/tables/{answer.json()['id']}")
    known = server.app.state.services.registry
    until(lambda: len(known.tables) <= MOST + 1)
