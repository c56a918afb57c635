"""What is in the repository."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import tercet
from tests.conftest import MARK_OF_FILE

ROOT = Path(tercet.__file__).parents[2]


def test_a_file_that_looks_marked_is_marked() -> None:
    """Commands leave such files out unread. One mark stood in a string, so that no command ran its tests."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        if MARK_OF_FILE.search(text := path.read_text(encoding="utf-8")):
            names = {
                ast.unparse(target)
                for node in ast.parse(text).body
                if isinstance(node, ast.Assign)
                for target in node.targets
            }
            assert "pytestmark" in names, path


@pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="no repository")
def test_nothing_is_kept_that_git_is_told_to_ignore() -> None:
    """An ignored path that is kept, such as a virtual environment, is overwritten wherever it is checked out."""
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    kept = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert kept == ""


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
