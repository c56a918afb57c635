"""The base install is a library; what needs more says which extra brings it."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

import tercet
from tercet import cli
from tercet.errors import EXTRAS, PARTS, extra_of
from tests.support.sources import FILES, source

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SCRIPT = Path(__file__).with_name("base_library.py")
BASE = {"llvmlite", "numba", "numpy", "platformdirs", "typing_extensions"}
# Libraries that are compared with, where they are installed.
PEERS = {"jax", "pgx", "pufferlib"}
OPTIONAL = {library for libraries in EXTRAS.values() for library in libraries}.union(PEERS)


def run_without(libraries: Iterable[str], program: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a program in ``folder`` with ``libraries`` blocked."""
    blocked = f"import os, sys; sys.path.insert(0, {str(ROOT)!r}); from tests.package.base_library import Refused; "
    blocked += f"sys.meta_path.insert(0, Refused({sorted(libraries)!r})); os.chdir({str(folder)!r}); "
    return subprocess.run([sys.executable, "-c", blocked + program], cwd=ROOT, capture_output=True, text=True)


@pytest.mark.thorough
def test_the_base_library_plays_batches_draws_and_records() -> None:
    done = subprocess.run([sys.executable, SCRIPT, *sorted(OPTIONAL)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not OPTIONAL.intersection(done.stdout.split())


def test_the_base_install_has_four_dependencies() -> None:
    names = {re.split(r"[^a-z_-]", text)[0].replace("-", "_") for text in PROJECT["dependencies"]}
    assert names == BASE - {"llvmlite"}, "llvmlite comes with Numba"
    assert set(EXTRAS) | {"all"} == set(PROJECT["optional-dependencies"])


@pytest.mark.parametrize("extra", sorted(PROJECT["optional-dependencies"]))
def test_the_documentation_says_what_each_extra_is_for(extra: str) -> None:
    assert f"| `{extra}` |" in (ROOT / "docs" / "installing.md").read_text("utf-8")


def test_every_library_that_is_imported_comes_with_the_base_or_an_extra() -> None:
    for path in FILES:
        for name in {each.partition(".")[0] for each in source(path).imported} - sys.stdlib_module_names - {"tercet"}:
            assert name in BASE | OPTIONAL, f"{path} imports {name}"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "missing", "extra"),
    [
        (["games"], "cli", "cli"),
        (["serve", "--port", "0", "--no-browser"], "server", "server"),
        (["people", "list"], "server", "server"),
        (["database", "check"], "server", "server"),
        (["selfplay", "sanqi"], "data", "data"),
        (["lab", "run", "sanqi/first-share"], "data", "cli,lab"),
        (["export", "none.txt", "--out", "none.parquet"], "data", "data"),
        (["train", "sanqi"], "train", "train,data"),
    ],
)
def test_a_command_says_which_extra_it_needs(arguments: list[str], missing: str, extra: str) -> None:
    done = run_without(EXTRAS[missing], f"from tercet.cli import main; main({arguments!r})")
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    needs = rf"needs an optional dependency\. Install it with: pip install 'tercet\[{extra}\]'"
    assert re.fullmatch(rf"tercet: [^\n]+ {needs}\n", done.stderr), done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("program", "missing", "extra"),
    [
        ("import tercet.training.data", "data", "data"),
        ("from tercet.training import Training", "data", PARTS["train"]),
        ("from tercet.training import Training; next(Training('sanqi').run(1, 'none'))", "train", PARTS["train"]),
        ("from tercet.laboratory import run_study, study_of; run_study(study_of('sanqi/first-share'), 'none')", "data",
         PARTS["lab"]),
        ("from tercet import environments; environments.vector('sanqi')", "rl", "rl"),
        ("import tercet; from tercet.pictures.drawing import png; png(tercet.game('sanqi').start())", "png", "png"),
    ],
)  # fmt: skip
def test_python_says_which_extra_it_needs(program: str, missing: str, extra: str, tmp_path: Path) -> None:
    done = run_without(EXTRAS[missing], program, tmp_path)
    assert re.match(rf"tercet\.errors\.TercetError: .+'tercet\[{extra}\]'", done.stderr.splitlines()[-1]), done.stderr


@pytest.mark.thorough
def test_every_error_names_the_extra_that_its_page_names() -> None:
    """One table says what a missing library is installed by."""
    for path in Path(tercet.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "needs_extra":
                needed = node.args[1]
                assert not isinstance(needed, ast.Constant) or extra_of(str(needed.value)), f"{path}:{node.lineno}"
    for page, part in (("laboratory.md", "lab"), ("research/networks.md", "train"), ("training.md", "train")):
        assert f"pip install 'tercet[{PARTS[part]}]'" in (ROOT / "docs" / page).read_text("utf-8")


def test_a_module_of_no_extra_that_is_missing_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tercet.cli.games", None)
    with pytest.raises(ModuleNotFoundError):
        cli.main(["games"])
