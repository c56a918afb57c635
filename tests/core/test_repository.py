"""What is in the repository."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="no repository")
def test_nothing_is_kept_that_git_is_told_to_ignore() -> None:
    """An ignored path that is kept, such as a virtual environment, is overwritten wherever it is checked out."""
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    kept = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert kept == ""
