"""Processes that die, freeze and stop lose nothing; `benchmarks/fault.py` is the long form."""

from __future__ import annotations

import pytest

from tests.support import network, services
from tests.support.failure_trial import play_through_failures

pytestmark = pytest.mark.online


@pytest.mark.parametrize(
    "sqlite",
    [
        pytest.param(False, id="two on PostgreSQL and Redis", marks=pytest.mark.long),
        pytest.param(True, id="one on SQLite"),
    ],
)
def test_nothing_is_lost_doubled_or_judged_wrongly(sqlite: bool) -> None:
    if not sqlite and services.missing():
        pytest.skip(services.missing())
    found = play_through_failures(games=6, seed=5, at_once=6, sqlite=sqlite)
    assert found.violations == []
    assert found.finished == 6
    assert found.kills + found.stops + found.suspensions >= 1
    assert found.acknowledged["act"] > 100
    assert found.flags == 1  # of the player who was asleep
    assert found.doubled > 0


def test_lost_packets_lose_no_action() -> None:
    """Two processes are cut off from PostgreSQL and Redis, in whole and in part, and come back by themselves."""
    lacking = services.missing() or network.missing()
    if lacking:
        pytest.skip(lacking)
    found = play_through_failures(games=4, seed=4, at_once=4, partitions=True)
    assert found.violations == []
    assert found.finished == 4
    assert found.partitions >= 1
    assert found.acknowledged["act"] > 100
