"""Many tables that are taken over at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from tests.support.waiting import until

TABLES = 30


def test_after_a_stall_all_tables_are_taken_over_together(serve: Callable[..., Any]) -> None:
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
    engine = registry.store.database.engine.sync_engine
    sa.event.listen(engine, "before_cursor_execute", lambda _c, _u, statement, *_: asked.append(statement))
    registry.lease._noted -= 3  # the next beat finds that nobody could see this process
    until(lambda: registry.lease.process_id != before, what="the process did not notice")
    until(lambda: all(table.owned for table in registry.tables), what="not all tables were taken over")
    for wire in wires:
        while wire.until("event")["kind"] != "resumed":
            pass
    assert len(asked) < TABLES
    assert wires[0].act(1, "Yd5")["type"] == "ack"
