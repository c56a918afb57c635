"""Processes that die, freeze and stop lose nothing; `benchmarks/fault.py` is the long form."""

from __future__ import annotations

import pytest
import services
from fault import ordeal


@pytest.mark.parametrize("sqlite", [False, True], ids=["two on PostgreSQL and Redis", "one on SQLite"])
def test_nothing_is_lost_doubled_or_judged_wrongly(sqlite: bool) -> None:
    if not sqlite and services.missing():
        pytest.skip(services.missing())
    found = ordeal(games=6, seed=5, at_once=6, sqlite=sqlite)
    assert found.faults == []
    assert found.finished == 6
    assert found.kills + found.stops + found.freezes >= 1
    assert found.acknowledged["act"] > 100
    assert found.flags == 1  # of the player who was asleep
    assert found.doubled > 0
