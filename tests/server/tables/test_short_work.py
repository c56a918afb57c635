"""Where the work of an action is done: at once, or in a thread where others would have to wait too long for it."""

import threading
from pathlib import Path

import pytest

from tercet.server.engines.pool import EnginePool
from tercet.server.limits.share import FairShare
from tercet.server.store.database import Database, address, migrate
from tercet.server.store.tables import Store
from tercet.server.tables.registry import TableRegistry
from tercet.server.tables.state import LONG_SECONDS
from tests.support.limits import OPEN


@pytest.mark.parametrize(("took", "at_once"), [(0.0, True), (LONG_SECONDS / 2, True), (2 * LONG_SECONDS, False)])
async def test_what_took_long_of_late_is_done_in_a_thread(took: float, at_once: bool, tmp_path: Path) -> None:
    migrate(address(tmp_path / "some.sqlite"))
    database = Database(address(tmp_path / "some.sqlite"))
    registry = TableRegistry(Store(database), EnginePool(FairShare(OPEN), 0))
    registry._ready.add("some")
    where = await registry.compute_short("some", threading.get_ident, took)
    assert (where == threading.get_ident()) is at_once
    assert await registry.compute_short("another", threading.get_ident, took) != threading.get_ident()
    registry.engine_pool.close()
    registry._threads.close()
    await database.close()
