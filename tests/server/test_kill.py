"""SIGKILL at random moments loses nothing; `benchmarks/kill.py` is the long form."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def load() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "kill.py"
    spec = importlib.util.spec_from_file_location("kill", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kill"] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


def test_a_killed_server_comes_back_with_every_game_as_it_was_acknowledged(tmp_path: Path) -> None:
    found = load().ordeal(tmp_path, games=10, seed=3, at_once=5)
    assert found.faults == []
    assert found.finished == 10
    assert found.kills >= 1
    assert found.actions > 100
