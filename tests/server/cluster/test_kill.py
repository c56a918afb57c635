"""SIGKILL and power cuts at random moments lose nothing; `benchmarks/kill.py` is the long form."""

from pathlib import Path

import pytest

from tests.support import disk
from tests.support.kill_trial import play_through_kills

pytestmark = pytest.mark.online


@pytest.mark.long  # `test_failures` kills too
def test_a_killed_server_comes_back_with_every_game_as_it_was_acknowledged(tmp_path: Path) -> None:
    found = play_through_kills(tmp_path, games=10, seed=3, at_once=5)
    assert (found.violations, found.finished) == ([], 10)
    assert found.kills >= 1
    assert found.actions > 100


def test_power_cuts_and_failed_syncs_lose_nothing(tmp_path: Path) -> None:
    """The power is cut with writes open, of which chance keeps some; syncs fail, and what was open then is lost."""
    if disk.missing():
        pytest.skip(disk.missing())
    found = play_through_kills(tmp_path, games=3, seed=2, at_once=3, power=True)
    assert (found.violations, found.finished) == ([], 3)
    assert found.kills >= 2
    assert found.sectors > 0
