"""The disk that loses what was not synced: SQLite keeps what it said it kept, and the disk would show it if not."""

import os
import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from .disk import LossyDisk, missing

pytestmark = pytest.mark.skipif(missing() != "", reason=missing())

# Prints the number of each row as soon as it is written; what fails is written again.
PROGRAM = """
import sqlite3, sys
path, synchronous = sys.argv[1:]
base = sqlite3.connect(path, isolation_level=None)
def do(*statement):
    while True:
        try:
            return base.execute(*statement).fetchall()
        except sqlite3.OperationalError as error:
            assert "disk I/O error" in str(error), error
do("PRAGMA journal_mode=WAL")
do(f"PRAGMA synchronous={synchronous}")
do("PRAGMA wal_autocheckpoint=20")
do("CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY, text TEXT)")
for number in range(100):
    do("INSERT OR REPLACE INTO rows VALUES (?, ?)", (number, "x" * 700))
    print(number, flush=True)
import os, signal
os.kill(os.getpid(), signal.SIGKILL)
"""


def lost(folder: Path, seed: int, synchronous: str, die: int, fail: int) -> int:
    """How many rows were said to be written and are not there after a power cut."""
    folder.mkdir()
    path = folder / "rows.sqlite"
    disk = LossyDisk(path, folder, random.Random(seed))
    environment = {**os.environ, **disk.environment(die, fail)}
    command = [sys.executable, "-c", PROGRAM, str(path), synchronous]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert done.returncode == -9, done.stderr
    disk.cut_power()
    said = [int(line) for line in done.stdout.split()]
    with closing(sqlite3.connect(path)) as base:
        try:
            assert base.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            kept = {number for (number,) in base.execute("SELECT number FROM rows")}
        except sqlite3.DatabaseError:
            kept = set()
    return len(set(said) - kept)


@pytest.mark.parametrize("fail", [0, 2, 7])
def test_what_was_synced_is_kept(tmp_path: Path, fail: int) -> None:
    """However many syncs fail, and wherever the power is cut."""
    assert [lost(tmp_path / str(seed), seed, "FULL", 30 + 17 * seed, fail) for seed in range(4)] == [0] * 4


def test_what_was_not_synced_is_lost(tmp_path: Path) -> None:
    """The instrument sees a program that does not wait for the disk."""
    assert max(lost(tmp_path / str(seed), seed, "OFF", 0, 0) for seed in range(3)) > 0
