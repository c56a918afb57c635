"""A disk that loses what was not synced: what a power cut leaves of an SQLite database, from a journal of its writes.

``disk.c`` writes the journal. Of what was written after the last sync of a file, each sector is on disk or not, as
chance has it. What was open when a sync failed never gets there unless it is written again: Linux takes the pages for
clean.
"""

import contextlib
import random
import shutil
import struct
import subprocess
from pathlib import Path

ENTRY = struct.Struct("<IIIIQ")
WRITE, TRUNCATE, SYNC, FAILED, REMOVE = 1, 2, 3, 4, 5
ENDINGS = ("", "-wal", "-heads", "-journal")
SECTOR = 512


def missing() -> str:
    """Say what is not here that this needs; empty where all is."""
    return "" if shutil.which("gcc") else "gcc not installed (Debian: gcc, libc6-dev)"


def compiled(name: str, folder: Path) -> Path:
    """Return the library to preload that was made of ``name.c`` beside this file, in ``folder``."""
    library, source = folder / f"{name}.so", Path(__file__).with_name(f"{name}.c")
    command = ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return library


class _File:
    """What of a file is on disk, and what is only in the machine's memory."""

    def __init__(self, content: bytes) -> None:
        self.content = bytearray(content)
        self.open: list[tuple[int, int, bytes]] = []

    def apply(self, op: int, at: int, data: bytes) -> None:
        if op == TRUNCATE:
            del self.content[at:]
            self.content.extend(bytes(at - len(self.content)))
            return
        if len(self.content) < at + len(data):
            self.content.extend(bytes(at + len(data) - len(self.content)))
        self.content[at : at + len(data)] = data

    def sync(self) -> None:
        for op, at, data in self.open:
            self.apply(op, at, data)
        self.open.clear()

    def lose(self, rng: random.Random) -> int:
        """Nothing more gets to the disk: have of what was open what chance will; return how many sectors were lost."""
        lost = 0
        share = rng.choice((0.0, 0.3, 0.5, 0.7, 1.0))
        for op, at, data in self.open:
            if op == TRUNCATE:
                if rng.random() < share:
                    self.apply(op, at, data)
                continue
            first = 0
            while first < len(data):
                size = min(SECTOR - (at + first) % SECTOR, len(data) - first)
                if rng.random() < share:
                    self.apply(op, at + first, data[first : first + size])
                else:
                    lost += 1
                first += size
        self.open.clear()
        return lost


class LossyDisk:
    """The disk under ``database``, a file of SQLite's, with a journal in ``folder``."""

    def __init__(self, database: Path, folder: Path, rng: random.Random) -> None:
        self.database = database
        self.rng = rng
        self.losses = self.sectors = self.failures = 0
        self._library = compiled("disk", folder)
        self._journal = folder / "journal"
        self._files: dict[int, _File] = {}
        self.begin()

    def environment(self, die: int = 0, fail: int = 0) -> dict[str, str]:
        """The environment of a server on this disk; see ``disk.c``."""
        told = {"JOURNAL": self._journal, "FILES": self.database, "DIE": die, "FAIL": fail}
        return {"LD_PRELOAD": str(self._library), **{f"TERCET_DISK_{name}": str(what) for name, what in told.items()}}

    def begin(self) -> None:
        """Take what is there for what is on disk."""
        self._journal.write_bytes(b"")
        for number, ending in enumerate(ENDINGS, 1):
            path = Path(f"{self.database}{ending}")
            self._files[number] = _File(path.read_bytes() if path.exists() else b"")

    def cut_power(self) -> None:
        """Leave in the files what a power cut leaves. The server on it must be dead."""
        journal, at = self._journal.read_bytes(), 0
        while at + ENTRY.size <= len(journal):
            op, number, size, _, where = ENTRY.unpack_from(journal, at)
            data = journal[at + ENTRY.size : at + ENTRY.size + size]
            at += ENTRY.size + size
            if op == SYNC:
                self._files[number].sync()
            elif op == FAILED:
                self.failures += 1
                self.sectors += self._files[number].lose(self.rng)
            elif op == REMOVE:
                self._files[number] = _File(b"")
            else:
                self._files[number].open.append((op, where, data))
        self.losses += 1
        for number, ending in enumerate(ENDINGS, 1):
            file = self._files[number]
            self.sectors += file.lose(self.rng)
            path = Path(f"{self.database}{ending}")
            if file.content or path.exists():
                path.write_bytes(file.content)
        with contextlib.suppress(FileNotFoundError):
            Path(f"{self.database}-shm").unlink()
        self.begin()
