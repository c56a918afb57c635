"""Compiling ahead, in stages: what was compiled is known, and interpreted engines stand in until then."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tercet
from tercet import kernel
from tercet.core.execution import choose_execution, usual_execution
from tercet.engines import Limits, level, preparing
from tercet.engines.preparing import STAGES, compile_stage, is_ready, mark_ready
from tercet.games import game_definition


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TERCET_CACHE", str(tmp_path))
    return tmp_path


def test_a_stage_is_ready_once_it_was_compiled(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark_ready("sanqi", "rules")
    assert not is_ready("sanqi", "rules"), "without a cache directory nothing is ready"
    kernel.cache_directory().mkdir()
    monkeypatch.setattr(preparing, "steps", lambda _name, _stage: [])
    assert not any(is_ready("sanqi", stage) for stage in STAGES)
    compile_stage("sanqi", "rules")
    assert is_ready("sanqi", "rules")
    assert not is_ready("sanqi", "engine")
    assert not is_ready("triplicity", "rules")
    monkeypatch.setattr("importlib.metadata.version", lambda _: "another")
    preparing._fingerprint.cache_clear()
    assert not is_ready("sanqi", "rules"), "what was compiled by another Numba is of no use"
    preparing._fingerprint.cache_clear()


def test_the_execution_of_new_games_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TERCET_EXECUTION", raising=False)
    earlier = tercet.game("sanqi", side=4)
    choose_execution("sanqi", "interpreted")
    try:
        later = tercet.game("sanqi", side=4)
        assert (earlier.execution, later.execution) == ("compiled", "interpreted")
        assert tercet.game("triplicity").execution == usual_execution()
        assert earlier.start().play("Rd4") == later.start().play("Rd4")
        assert hash(earlier.start()) == hash(later.start())
    finally:
        choose_execution("sanqi", "compiled")


@pytest.mark.parametrize("name", tercet.games())
def test_interpreted_engines_choose_as_compiled_ones_do(name: str) -> None:
    """They stand in for those of the quick start's level."""
    start = game_definition(name).quick_start
    assert start is not None
    chosen = set()
    for execution in ("compiled", "interpreted"):
        position = tercet.game(name, execution=execution, **start.options).start(1)
        engine = level(position.game, start.level, seed=3)
        for _ in range(3):
            position = position.play(engine.think(position, Limits()).action)
        chosen.add(str(position))
    assert len(chosen) == 1


@pytest.mark.long
def test_compiling_goes_on_after_a_kill(tmp_path: Path) -> None:
    """What a killed process had compiled is not compiled again."""
    code = """
import sys
from tercet.engines.preparing import exercise_rules
from tercet.kernel.cache import compiled, on_compile
stop = int(sys.argv[1])
def told(name):
    print(name, flush=True)
    if stop and len(compiled) >= stop:
        import os
        os.kill(os.getpid(), 9)
on_compile(told)
exercise_rules("sparklies")
"""

    def compiled(stop: int) -> list[str]:
        environment = {**os.environ, "TERCET_CACHE": str(tmp_path)}
        run = [sys.executable, "-c", code, str(stop)]
        return subprocess.run(run, env=environment, stdout=subprocess.PIPE, text=True, check=not stop).stdout.split()

    before, after = compiled(4), compiled(0)
    assert len(before) == 5
    assert not set(before[:4]) & set(after)
    assert after[0] == before[4]
    assert compiled(0) == []
