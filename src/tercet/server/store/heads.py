"""The newest event of each table in a file beside SQLite's.

SQLite drops everything that follows a bad page of its write-ahead log, without a word: whole transactions vanish, and
what is left is consistent. So each event that was written is noted in another file before it is acknowledged. When the
server starts, the database must have what the file names.
"""

from __future__ import annotations

import contextlib
import io
import os
from pathlib import Path

from tercet.server.store.database import Database

MAX_BYTES = 1 << 22  # of a file; the one before is kept, so that a few ten thousand events are always named


class Heads:
    """The file. It is written without waiting for the disk: after a power cut it may name less than was written, never
    more. Several processes may write to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._older = path.with_name(f"{path.name}.1")
        self._file: io.FileIO | None = None

    @classmethod
    def beside(cls, database: Database) -> Heads | None:
        """Return the file beside ``database``; None where that is no file here."""
        name = database.url.database
        if not database.is_sqlite or not name or name == ":memory:":
            return None
        return cls(Path(f"{name}-heads"))

    def note(self, table_id: str, number: int, digest: bytes) -> None:
        """Note that this event was written. On a full disk the note is left out, and play goes on."""
        with contextlib.suppress(OSError):
            if self._file is None:
                self._file = io.FileIO(self.path, "a")
            self._file.write(b"%s %d %s\n" % (table_id.encode(), number, digest.hex().encode()))
            if self._file.tell() > MAX_BYTES:
                self._file = None
                self.path.replace(self._older)

    def read(self) -> dict[str, tuple[int, bytes]]:
        """Return the newest number and digest of each table that is named."""
        found: dict[str, tuple[int, bytes]] = {}
        for path in (self._older, self.path):
            with contextlib.suppress(OSError):
                for line in path.read_bytes().splitlines():
                    with contextlib.suppress(ValueError):  # cut off by a power failure
                        table_id, number, digest = line.decode().split(" ")
                        if len(digest) == 32 and int(number) >= found.get(table_id, (0, b""))[0]:
                            found[table_id] = (int(number), bytes.fromhex(digest))
        return found

    def clear(self) -> None:
        """Empty the file after it has been compared with the database."""
        with contextlib.suppress(OSError):
            os.truncate(self.path, 0)
            self._older.unlink(missing_ok=True)
