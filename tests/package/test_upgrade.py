"""What keeps a version from being released; what version 0.2 wrote is read; and the wheel in a clean environment."""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tarfile
import venv
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import tercet
from tercet.engines import Limits, engine
from tercet.record import read_file
from tercet.training.data.records import write_records
from tests.support.present import module_at
from tests.training.test_training import TINY

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def release() -> Any:
    return module_at(ROOT / "tools" / "release.py")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small repository of version 1.2.3, all committed."""
    (tmp_path / "src/tercet").mkdir(parents=True)
    (tmp_path / "web").mkdir()
    (tmp_path / "src/tercet/__init__.py").write_text('__version__ = "1.2.3"\n')
    lock = {"version": "1.2.3", "packages": {"": {"version": "1.2.3"}}}
    (tmp_path / "CITATION.cff").write_text("version: 1.2.3\ndate-released: 2026-01-31\n")
    (tmp_path / "web/package.json").write_text(json.dumps({"version": "1.2.3"}))
    (tmp_path / "web/package-lock.json").write_text(json.dumps(lock))
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3 - 2026-01-31\n\n## 1.3.0\n")
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def test_all_files_and_the_changelog_state_the_version_of_the_library(release: Any) -> None:
    assert set(release.versions(ROOT).values()) == {tercet.__version__}
    assert release.changelog_date(ROOT, tercet.__version__) is not None
    cited = yaml.safe_load((ROOT / release.CITATION).read_text("utf-8"))
    assert {"message", "title", "authors", "abstract", "keywords"} <= set(cited)
    assert (cited["cff-version"], cited["type"], cited["license"]) == ("1.2.0", "software", "MIT")
    assert str(cited["version"]) == tercet.__version__
    assert cited["date-released"] == release.changelog_date(ROOT, tercet.__version__)
    for name in tercet.games():
        assert tercet.game(name).definition.title in cited["title"]


def test_a_listed_version_of_a_clean_tree_may_be_released_and_no_other(release: Any, tree: Path) -> None:
    assert release.problems(tree, "1.2.3") == []
    found = release.problems(tree, "1.3.0")
    assert {"web/package.json states 1.2.3, not 1.3.0.", "CITATION.cff states 1.2.3, not 1.3.0."} <= set(found)
    assert len(found) == 6


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("CHANGELOG.md", "## 1.2.3\n", "CHANGELOG.md has no section '## 1.2.3 - YYYY-MM-DD'."),
        ("CHANGELOG.md", "## 1.2.3 - 2026-02-01\n", "CITATION.cff does not state date-released: 2026-02-01."),
        ("new.txt", "new", "The working tree has changes: commit them first."),
    ],
    ids=["no date", "a citation of another day", "changes"],
)
def test_a_tree_that_is_not_ready_is_refused(release: Any, tree: Path, file: str, text: str, problem: str) -> None:
    (tree / file).write_text(text)
    found = release.problems(tree, "1.2.3")
    assert problem in found
    assert file != "new.txt" or found == [problem]


@pytest.mark.parametrize("name", tercet.games())
def test_the_documentation_states_the_version_of_each_games_rules(name: str) -> None:
    game, page = tercet.game(name).definition, (ROOT / "docs" / "concepts" / "stability.md").read_text("utf-8")
    rules = f"`{name}-{game.rules_version}`"
    assert f"| {rules} |" in page
    assert f"| `tercet/{name}-v{game.environment_version}` | {rules} | {game.planes_version} |" in page


TOLD = Path(__file__).parents[1] / "server" / "store" / "data" / "version-0.2.json.gz"
KEPT = Path(__file__).with_name("version-0.2.tar.gz")
# Prints the old names that the game was imported by.
PROGRAM = """
import warnings
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    import tercet
    from tercet import testing
    testing.check_game("crossway", [{"size": 4}])
    assert tercet.game("crossway", size=4).start().play("b2").play("swap").mover == 0
print(*sorted({str(one.message).split()[0] for one in told if "since version 0.3" in str(one.message)}))
"""


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A folder with what version 0.2 wrote."""
    with tarfile.open(KEPT) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


def test_records_lead_to_the_positions_that_its_server_showed() -> None:
    told = json.loads(gzip.decompress(TOLD.read_bytes()))
    assert len(told["records"]) > 20
    for table, text in told["records"].items():
        (record,) = tercet.read(text)
        assert str(record.end) == told["states"][table]["view"]["position"], table


def test_a_run_s_network_plays_and_its_games_are_records(kept: Path) -> None:
    game = tercet.game("sanqi", side=4, setup=5)
    start = game.start()
    player = engine(f"net:{kept / 'run' / 'round-0' / 'candidate.net'}", game)
    assert player.think(start, Limits(nodes=8)).action in start.legal_actions
    assert write_records(kept / "run" / "round-0" / "games-0" / "games", kept / "games.txt") == 6
    records = list(read_file(kept / "games.txt"))
    assert {record.game for record in records} == {game}
    assert all(record.end.is_over for record in records)


@pytest.mark.train
def test_training_goes_on_from_a_network(kept: Path) -> None:
    start = kept / "run" / "round-0" / "candidate.net"
    assert [one.round for one in replace(TINY, start=str(start)).run(1, kept / "on")][-1] == 0
    assert (kept / "on" / "round-0" / "candidate.net").exists()


def test_a_game_of_another_package_keeps_the_contract_and_is_told_the_new_names(kept: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--target", kept / "site", kept / "crossway"], check=True)
    path = os.pathsep.join([str(kept / "site"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["tercet.boards", "tercet.definition", "tercet.game", "tercet.view"]


PIP = (sys.executable, "-m", "pip")
SOURCES = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE")


def run(*command: str | Path, cwd: Path, code: int = 0) -> str:
    """What a command says: to its errors, where it ends with another ``code`` than 0."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code else done.stdout


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
    wanted = "The tercet command needs an optional dependency. Install it with: pip install 'tercet[cli]'"
    assert run(command, "games", cwd=tmp_path, code=2) == f"tercet: {wanted}\n"


@pytest.mark.long  # it installs Numba and all that the server needs
@pytest.mark.timeout(1800)
def test_the_wheel_with_all_extras_plays_and_serves_without_a_network(tmp_path: Path) -> None:
    if not (ROOT / "src/tercet/server/page/index.html").exists():
        pytest.skip("the page is not built")
    alone = ("unshare", "--user", "--map-root-user", "--net")
    if shutil.which("unshare") is None or subprocess.run([*alone, "true"], check=False).returncode:
        pytest.skip("no network of its own can be made")
    home = tmp_path / "home"
    venv.create(home, with_pip=False)
    python = home / "bin/python"
    wheel = f"{build(tmp_path)}[all]"
    run(*PIP, "--python", python, "install", "--quiet", "-c", ROOT / "requirements.lock", wheel, cwd=tmp_path)
    where = run(python, "-c", "import tercet; print(tercet.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(home)
    run(*alone, python, Path(__file__).with_name("offline.py"), home / "bin", cwd=tmp_path)
