"""Many tables that are taken over at once."""

import asyncio
import re
import time
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from tercet.server.store.lease import Absences
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.table import Table
from tests.support.waiting import until

TABLES = 30


def test_after_a_stall_all_tables_are_taken_over_together(
    serve: Callable[..., Any], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that stood still asks the database a few times, not a few times for each table: with a thousand it
    would stand still again before it has gone through them."""
    server = serve()
    opened = [server.open("me", "here", clock={"kind": "turn", "seconds": 600}) for _ in range(TABLES)]
    wires = [server.wire(table["id"], *table["tokens"]) for table in opened]
    for wire in wires:
        wire.hear()
        assert wire.act(0, "Rd4")["type"] == "ack"
    registry = server.app.state.services.registry
    before = registry.lease.process_id
    asked: list[str] = []
    for engine in (registry.store.database._reader, registry.store.database._writer):
        sa.event.listen(engine, "before_cursor_execute", lambda _c, _u, statement, *_: asked.append(statement))
    monkeypatch.setattr(Absences, "between", lambda _absences, since, until: [(since, until)])
    registry.lease._noted -= 3  # the next beat finds that this process was suspended for so long
    until(lambda: registry.lease.process_id != before, what="the process did not notice")
    until(lambda: all(table.owned for table in registry.tables), what="not all tables were taken over")
    for wire in wires:
        while wire.until("event")["kind"] != "resumed":
            pass
    assert len(asked) < TABLES
    assert any(re.match(r"this server was late by \d\.\d s", one.getMessage()) for one in caplog.records)
    assert wires[0].act(1, "Yd5")["type"] == "ack"


def test_a_process_that_has_much_to_look_after_still_says_that_it_lives(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others take over the tables of whoever does not say so in time."""
    waiting: list[float] = []

    async def endless(registry: TableRegistry) -> None:
        waiting.append(registry.lease._noted)
        await asyncio.Event().wait()

    monkeypatch.setattr(TableRegistry, "_drop_idle", endless)
    lease = serve().app.state.services.registry.lease
    until(lambda: bool(waiting), what="nothing was looked after")
    until(lambda: lease._noted > waiting[0] + 1.5, what="the process does not say that it lives")


def test_commands_that_wait_for_their_process_ask_less_and_less(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thousand that ask twenty times a second would keep it from ever being sure again."""
    server = serve()
    _, wire = server.both()
    asked: list[float] = []

    async def not_yet(_table: Table, _came: int, _since: int | None = None) -> bool:
        asked.append(time.monotonic())
        return len(asked) > 5

    monkeypatch.setattr(Table, "_may_act", not_yet)
    assert wire.act(0, "Rd4")["type"] == "ack"
    assert asked[4] - asked[3] >= 0.4
    assert asked[5] - asked[4] >= 0.8
