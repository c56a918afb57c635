"""What is in the repository, and what it depends on."""

import ast
import http.client
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml

import tercet
from tests.conftest import MARK_OF_FILE
from tests.support.present import module_at

ROOT = Path(tercet.__file__).parents[2]


def test_a_file_that_looks_marked_is_marked() -> None:
    """Commands leave such files out unread. One mark stood in a string, so that no command ran its tests."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        if MARK_OF_FILE.search(text := path.read_text(encoding="utf-8")):
            assigned = [node.targets for node in ast.parse(text).body if isinstance(node, ast.Assign)]
            assert "pytestmark" in {ast.unparse(target) for targets in assigned for target in targets}, path


@pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="no repository")
def test_nothing_is_kept_that_git_is_told_to_ignore() -> None:
    """An ignored path that is kept, such as a virtual environment, is overwritten wherever it is checked out."""
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout == ""


def test_every_folder_of_tests_is_in_a_part_of_make_test() -> None:
    parts = re.findall(r"^PARTS := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[0].split()
    command = ["make", "--dry-run", *(f"test-part-{part}" for part in parts)]
    named = re.findall(r"tests/\S+", subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout)
    files = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")]
    assert [name for name in files if sum(name.startswith(part) for part in named) != 1] == []


def test_every_bug_can_still_be_put_back() -> None:
    done = subprocess.run([sys.executable, "tools/bugs.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_workflows_name_what_exists() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
        commands = "\n".join(step.get("run", "") for job in jobs.values() for step in job["steps"])
        assert set(re.findall(r"\bmake ([a-z-]+)", commands)) <= set(targets)
        named = re.findall(r"\b(?:tests|tools)/[\w/.]+", commands)
        assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.fixture(scope="module")
def audit() -> Any:
    """The tool, which is no part of the package."""
    return module_at(ROOT / "tools" / "audit.py")


SOUND: dict[str, Any] = {"name": "numba", "version": "1", "vulns": []}
WEAK = {"name": "pip", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]}
UNKNOWN = {"name": "redis", "skip_reason": "Dependency not found on PyPI"}
PAGE = {"vulnerabilities": {}, "metadata": {"dependencies": {"total": 70}}}


@pytest.mark.parametrize(
    ("dependencies", "page", "usual", "strict", "says"),
    [
        ([SOUND], PAGE, 0, 0, "server: 1 packages audited, 0 known weaknesses"),
        ([SOUND, WEAK], PAGE, 1, 1, "server: pip 1: PYSEC-1, mended in 2"),
        ([UNKNOWN], PAGE, 0, 2, "server: NOT AUDITED"),
        ([], PAGE, 0, 2, "server: NOT AUDITED"),
        ([SOUND], {"error": {"code": "ENOAUDIT"}}, 0, 2, "page: NOT AUDITED"),
        ([SOUND], {"vulnerabilities": {"vite": {"severity": "high"}}}, 1, 1, "page: vite: high"),
        ([WEAK], {}, 1, 1, "page: NOT AUDITED"),
    ],
)
def test_verdicts(audit: Any, dependencies: list[Any], page: Any, usual: int, strict: int, says: str) -> None:
    found = {"server": audit.server({"dependencies": dependencies}), "page": audit.page(page)}
    code, lines = audit.verdict(found, False)
    assert (code, audit.verdict(found, True)[0]) == (usual, strict)
    assert any(line.startswith(says) for line in lines)


def test_every_direct_dependency_has_its_line(audit: Any) -> None:
    direct = audit.direct()
    assert {"numba", "fastapi", "ruff", "mkdocs-material", "hatchling"} <= set(direct["python"])
    assert {"svelte", "vite"} <= set(direct["npm"])
    for kind, names in direct.items():
        assert names == sorted(audit.PURPOSES[kind]), "tools/dependencies.toml says what each is for"
    days = {"numba": "2026-01-02", "svelte": "2026-03-04"}
    lines = audit.table(lambda _, name: days.get(name, ""))
    known = {line.split()[0]: line for line in lines}
    for name in (*direct["python"], *direct["npm"]):
        assert known[name].endswith(audit.PURPOSES["python" if name in direct["python"] else "npm"][name])
    assert re.search(r"^numba +[0-9.]+ +BSD.* 2026-01-02 ", known["numba"])
    assert re.search(r"^svelte +[0-9.]+ +MIT +2026-03-04 ", known["svelte"])
    assert "not asked" in known["numpy"]
    total = len(direct["python"]) + len(direct["npm"])
    assert lines[-1].startswith(f"{total - 2} of {total} package")


def test_an_index_whose_answer_breaks_off_is_one_that_cannot_be_asked(audit: Any) -> None:
    with mock.patch("urllib.request.urlopen", side_effect=http.client.IncompleteRead(b"{", 100)):
        assert audit.last_release("npm", "svelte") == ""
