"""What is in the repository."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="no repository")
def test_nothing_is_kept_that_git_is_told_to_ignore() -> None:
    """An ignored path that is kept, such as a virtual environment, is overwritten wherever it is checked out."""
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    kept = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert kept == ""


def test_workflows_name_what_exists() -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
        commands = "\n".join(step.get("run", "") for job in jobs.values() for step in job["steps"])
        assert set(re.findall(r"\bmake ([a-z-]+)", commands)) <= set(targets)
        named = re.findall(r"\b(?:tests|tools)/[\w/.]+", commands)
        assert [name for name in named if not (ROOT / name).exists()] == []
