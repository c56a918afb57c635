"""SIGKILL at random moments loses nothing; `benchmarks/kill.py` is the long form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.kill_trial import play_through_kills


@pytest.mark.long  # `test_failures` kills too
def test_a_killed_server_comes_back_with_every_game_as_it_was_acknowledged(tmp_path: Path) -> None:
    found = play_through_kills(tmp_path, games=10, seed=3, at_once=5)
    assert found.violations == []
    assert found.finished == 10
    assert found.kills >= 1
    assert found.actions > 100
