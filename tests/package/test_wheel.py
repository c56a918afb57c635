"""The wheel in a clean environment: the library needs its four dependencies and nothing else; with all extras it plays
and serves without a network."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PIP = (sys.executable, "-m", "pip")
SOURCES = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE")


def attempt(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def run(*command: str | Path, cwd: Path) -> str:
    done = attempt(*command, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build(tmp_path: Path, *left_out: str) -> Path:
    """Return a wheel of this tree; without ``web/``, no page is built."""
    source = tmp_path / "source"
    source.mkdir()
    for name in SOURCES:
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "src/tercet", source / "src/tercet", ignore=shutil.ignore_patterns("__pycache__", *left_out))
    options = ("--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path)
    run(*PIP, "wheel", "--quiet", *options, source, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    return wheel


@pytest.mark.long  # it installs Numba
@pytest.mark.timeout(1800)
def test_the_base_wheel_plays_batches_and_steps_an_environment(tmp_path: Path) -> None:
    wheel, home = build(tmp_path, "page"), tmp_path / "home"
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    run(*PIP, "--python", python, "install", "--quiet", "-c", ROOT / "requirements.lock", wheel, cwd=tmp_path)
    listed = run(*PIP, "--python", python, "list", "--format", "freeze", cwd=tmp_path)
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


@pytest.mark.long  # it installs Numba and all that the server needs
@pytest.mark.timeout(1800)
def test_the_wheel_with_all_extras_plays_and_serves_without_a_network(tmp_path: Path) -> None:
    if not (ROOT / "src/tercet/server/page/index.html").exists():
        pytest.skip("the page is not built")
    alone = ("unshare", "--user", "--map-root-user", "--net")
    if shutil.which("unshare") is None or attempt(*alone, "true", cwd=tmp_path).returncode:
        pytest.skip("no network of its own can be made")
    home = tmp_path / "home"
    venv.create(home, with_pip=False)
    python = home / "bin/python"
    wheel = f"{build(tmp_path)}[all]"
    run(*PIP, "--python", python, "install", "--quiet", "-c", ROOT / "requirements.lock", wheel, cwd=tmp_path)
    where = run(python, "-c", "import tercet; print(tercet.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(home)
    run(*alone, python, Path(__file__).with_name("offline.py"), home / "bin", cwd=tmp_path)
