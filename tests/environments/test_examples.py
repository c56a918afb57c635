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
EXAMPLES = {
    "tabular": "--games 200",  # by OpenSpiel
    "ppo": "--updates 2 --games 16 --steps 16",
    "maskable_ppo": "--steps 4096 --games 4",
    "alphazero": "--rounds 1 --games 3 --simulations 8",
}


def test_examples_are_short() -> None:
    lines = {name: (ROOT / "examples" / f"{name}.py").read_text("utf-8").count("\n") for name in EXAMPLES}
    assert max(lines.values()) < 150, lines


@pytest.mark.train
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name: str) -> None:
    command = [sys.executable, f"{ROOT}/examples/{name}.py", *EXAMPLES[name].split()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_notebook_shows_what_it_says(name: str) -> None:
    """Every cell is run, and must give what is stored; ``python tools/notebooks.py`` writes them anew."""
    stored = json.loads((ROOT / "examples" / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))
    scope, notebooks = dict[str, Any](), module_at(ROOT / "tools" / "notebooks.py")
    for cell in stored["cells"]:
        if cell["cell_type"] == "code":
            assert notebooks.run("".join(cell["source"]), scope) == cell["outputs"]
    assert "".join(stored["cells"][0]["source"]).startswith("# What a network sees")
