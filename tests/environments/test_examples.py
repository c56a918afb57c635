"""The examples run, in a short form, and the notebooks show what the planes are now."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tercet.games import BUILT_IN
from tests.support.present import module_at

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    pytest.param("tabular", ["--games", "200"], marks=pytest.mark.train),  # by OpenSpiel
    pytest.param("ppo", ["--updates", "2", "--games", "16", "--steps", "16"], marks=pytest.mark.train),
    pytest.param("maskable_ppo", ["--steps", "4096", "--games", "4"], marks=pytest.mark.train),
    pytest.param("alphazero", ["--rounds", "1", "--games", "3", "--simulations", "8"], marks=pytest.mark.train),
]


@pytest.mark.parametrize(("name", "words"), EXAMPLES)
def test_an_example_runs(name: str, words: list[str]) -> None:
    path = ROOT / "examples" / f"{name}.py"
    done = subprocess.run([sys.executable, path, *words], capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("name", ["tabular", "ppo", "maskable_ppo", "alphazero"])
def test_an_example_is_short(name: str) -> None:
    assert len((ROOT / "examples" / f"{name}.py").read_text(encoding="utf-8").splitlines()) < 150


def notebooks() -> Any:
    """The tool that writes the notebooks."""
    return module_at(ROOT / "tools" / "notebooks.py")


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_notebook_shows_what_it_says(name: str) -> None:
    """Every cell is run, and must give what is stored; ``python tools/notebooks.py`` writes them anew."""
    stored = json.loads((ROOT / "examples" / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    scope: dict[str, Any] = {}
    for cell in stored["cells"]:
        if cell["cell_type"] == "code":
            assert notebooks().run("".join(cell["source"]), scope) == cell["outputs"]
    assert "".join(stored["cells"][0]["source"]).startswith("# What a network sees")
