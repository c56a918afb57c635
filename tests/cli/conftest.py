"""The command line, run in the process of a test."""

import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.commands import run_command

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command line in this process: exit code, what it printed, what it complained of."""

    def call(*arguments: str | Path, given: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        return run_command(capsys, *map(str, arguments))

    return call
