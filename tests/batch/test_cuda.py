"""The batch on a GPU, in Numba's simulator: the same as on the CPU, action by action."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tercet.batch import Batch
from tercet.errors import BatchError
from tests.support.division import thorough_but
from tests.support.refusals import refuses

pytestmark = pytest.mark.thorough

SCRIPT = Path(__file__).parent / "on_the_device.py"


def simulate(script: Path, *arguments: str) -> str:
    """What a script says when it runs in the simulator."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run([sys.executable, str(script), *arguments], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


KINDS = ["sanqi side=4 stalemate=loss", "sanqi side=5", "triplicity quiet_limit=3", "sparklies board=4x4 players=3"]
KINDS += ["sparklies board=3x3 mode=duel setup=blank"]


@pytest.mark.parametrize("kind", thorough_but(lambda kind: kind == KINDS[0], KINDS, pytest.mark.long))
def test_a_gpu_plays_what_the_cpu_plays(kind: str) -> None:
    assert "games ended" in simulate(SCRIPT, "equal", *kind.split())


def test_the_rest_of_the_interface() -> None:
    assert "all as on the CPU" in simulate(SCRIPT, "interface")


def test_without_a_gpu_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_ENABLE_CUDASIM", "0")
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    refuses(BatchError, r"tercet\[cuda\]", Batch, "sanqi", games=1, device="cuda", side=4)


def test_what_is_for_the_other_device() -> None:
    cuda: dict[str, Any] = {"device": "cuda"}
    refused = [{"threads": 2, **cuda}, {"layout": "column"}, {"layout": "diagonal", **cuda}, {"block": 0, **cuda}]
    for wrong in refused:
        refuses(BatchError, next(iter(wrong)), Batch, "sanqi", games=1, **wrong)


def test_the_benchmark_for_gpus_runs() -> None:
    lines = simulate(Path(__file__).parents[2] / "benchmarks" / "gpu.py", "--tiny").splitlines()
    assert [line.split(" | ")[1] for line in lines[2:]] == ["row", "column"]
