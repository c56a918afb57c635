"""What the fuzzer has found is read again, without the fuzzer: each file in ``found`` made a reader fail once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOUND = Path(__file__).with_name("found")


@pytest.mark.parametrize("target", sorted(FOUND.iterdir()), ids=lambda target: target.name)
def test_what_the_fuzzer_found_is_read(target: Path) -> None:
    """In a process of its own: kernels run interpreted there."""
    program = [sys.executable, str(FOUND.with_name("fuzz.py")), target.name, "--once", *map(str, target.iterdir())]
    done = subprocess.run(program, capture_output=True, text=True, timeout=240, env=dict(os.environ), check=False)
    assert done.returncode == 0, done.stderr
