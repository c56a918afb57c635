"""The wheel in a clean environment: the library needs its four dependencies and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE")


def attempt(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def run(*command: str | Path, cwd: Path) -> str:
    done = attempt(*command, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long  # it installs Numba
@pytest.mark.timeout(1800)
def test_the_base_wheel_plays_batches_and_steps_an_environment(tmp_path: Path) -> None:
    source, home = tmp_path / "source", tmp_path / "home"
    source.mkdir()
    for name in SOURCES:
        shutil.copy(ROOT / name, source)
    ignored = shutil.ignore_patterns("page", "__pycache__")
    shutil.copytree(ROOT / "src/tercet", source / "src/tercet", ignore=ignored)  # without web/, no page is built
    pip = (sys.executable, "-m", "pip")
    options = ("--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path)
    run(*pip, "wheel", "--quiet", *options, source, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")

    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run(*pip, "--python", python, "install", "--quiet", "-c", ROOT / "requirements.lock", wheel, cwd=tmp_path)
    listed = run(*pip, "--python", python, "list", "--format", "freeze", cwd=tmp_path)
    installed = {line.partition("==")[0].replace("-", "_").lower() for line in listed.split()}
    assert installed == {"llvmlite", "numba", "numpy", "platformdirs", "tercet", "typing_extensions"}

    run(python, Path(__file__).with_name("base_library.py"), cwd=tmp_path)
    command = home / ("Scripts/tercet.exe" if os.name == "nt" else "bin/tercet")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [command, "games"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    wanted = "The tercet command needs an optional dependency. Install it with: pip install 'tercet[cli]'"
    assert done.stderr == f"tercet: {wanted}\n"
