"""The simulated world: seeds that find nothing, seeds that found something, bugs that it must find, and itself."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.simulation.bugs import BUGS, Bug, put_back
from tests.simulation.command import shrink, simulate_seeds, story
from tests.simulation.plan import Plan
from tests.simulation.scene import simulate

SEEDS, LONG_SEEDS = 40, int(os.environ.get("TERCET_SEEDS", "20000"))
WORKERS = os.cpu_count() or 1


@pytest.mark.timeout(1200)
def test_nothing_acknowledged_is_lost_doubled_or_judged_wrongly() -> None:
    total = simulate_seeds(range(SEEDS), WORKERS)
    assert not total.failed, str(total)
    assert total.seeds == SEEDS
    assert set(total.faults) >= {"kill", "stop", "suspend", "away", "power", "bus"}


@pytest.mark.long
@pytest.mark.timeout(0)
def test_many_seeds() -> None:
    total = simulate_seeds(range(1_000_000, 1_000_000 + LONG_SEEDS), WORKERS)
    print(total)
    assert not total.failed, str(total.failed[:20])


PRINT = (
    "from tests.simulation.scene import *; from tests.simulation.plan import Plan; print(simulate(Plan.of(5)).digest)"
)


def test_a_seed_is_one_history() -> None:
    """Neither the order of sets nor where objects lie in memory decides anything."""
    found = {
        subprocess.run(
            [sys.executable, "-c", PRINT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


@pytest.mark.long
@pytest.mark.timeout(0)
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_bug_that_is_put_back_is_found(bug: Bug) -> None:
    for first in range(0, 2000, 20):
        with put_back(bug):
            if simulate_seeds(range(first, first + 20)).failed:
                return
    pytest.fail(f"2000 seeds find nothing though {bug.says}")


@pytest.mark.timeout(1200)
def test_a_failing_seed_is_told_as_a_short_story() -> None:
    """It has a bug in it, is shorter than the plan, and ends with what went wrong."""
    bug = next(one for one in BUGS if one.name == "doubled ids")
    with put_back(bug):
        plan = next(plan for plan in map(Plan.of, range(50)) if plan.faults and simulate(plan).violations)
        found = shrink(plan, 6)
    told = story(found)
    assert found.violations
    assert len(found.plan.faults) <= len(plan.faults)
    assert "***" in told
    assert not simulate(found.plan).violations
