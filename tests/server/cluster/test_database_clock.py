"""The clock of the database's machine jumps, and no lease and no flag is decided by that."""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.conftest import Serve, state_of, until_alive
from tests.support import disk, services
from tests.support.waiting import until

pytestmark = pytest.mark.online


class Clock:
    """A PostgreSQL whose clock can be set."""

    def __init__(self, folder: Path) -> None:
        folder.chmod(0o755)
        for above in folder.parents:
            with contextlib.suppress(OSError):
                above.chmod(above.stat().st_mode | 0o011)
        self._file = folder / "clock"
        self.jump(0)
        preload = {"LD_PRELOAD": str(disk.compiled("clock", folder)), "TERCET_CLOCK": str(self._file)}
        self.postgres = services.Postgres(environment=preload)

    def jump(self, seconds: int) -> None:
        """Be so many seconds ahead of the right time."""
        self._file.write_text(f"{seconds:<20}")

    def where(self) -> dict[str, Any]:
        return {"database": self.postgres.create(), "postgres": self.postgres}


@pytest.fixture
def clock(tmp_path: Path) -> Iterator[Clock]:
    if services.missing() or disk.missing():
        pytest.skip(services.missing() or disk.missing())
    made = Clock(tmp_path)
    yield made
    made.postgres.close()


def test_a_clock_that_jumps_decides_nothing(clock: Clock, serve: Serve) -> None:
    """Two processes play on through it with the time that the players had, and a third one shares their time."""
    where = clock.where()
    servers = [serve(**where) for _ in range(2)]
    table = servers[0].open("me", "here", clock={"kind": "turn", "seconds": 60})
    wires = [server.wire(table["id"], *table["tokens"]) for server in servers]
    assert {wire.hear()["type"] for wire in wires} == {"snapshot"}
    assert wires[0].act(0, "Rd4")["type"] == "ack"
    registries = [server.app.state.services.registry for server in servers]
    runs = [registry.lease.process_id for registry in registries]

    def owners() -> set[int | None]:
        return {registry.known(table["id"]).owner for registry in registries} - {None}

    until(owners, what="no process came to own the table")
    before = owners()
    for ply, (seconds, action) in enumerate(((3600, "Yd5"), (-7200, "Re4")), 1):
        clock.jump(seconds)
        for registry in registries:
            until_alive(registry.lease, 2)
        assert wires[ply % 2].act(ply, action)["type"] == "ack"
        assert abs(registries[0].now() - registries[1].now()) < 1000
        assert abs(registries[0].now() / 1000 - time.time()) < 30
    assert [registry.lease.process_id for registry in registries] == runs
    assert owners() == before
    state = state_of(servers[1], table["id"])
    assert (state["flagged"], state["over"]) == ([], False)
    assert 0 < state["clock"]["left"][1] <= 60_000
    late = serve(**where).app.state.services.registry
    assert abs(late.now() - registries[0].now()) < 1000
    assert late.lease.others.keys() >= set(runs)


def test_a_clock_set_back_while_nobody_serves(clock: Clock, serve: Serve) -> None:
    """Time goes on from when a process was last seen: otherwise that one would seem alive for as long."""
    first = serve(**(where := clock.where()))
    before = first.app.state.services.registry.now()
    first.stop()
    clock.jump(-3600)
    assert 0 <= serve(**where).app.state.services.registry.now() - before < 300_000
