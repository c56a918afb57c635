"""The database file as the processes of the world see it: SQLite itself, behind a driver that can fail.

A transaction is on disk when its COMMIT has returned on a connection that waits for the disk
(``PRAGMA synchronous=FULL``). A power cut keeps all of those, and of what comes after them as many bytes as the seed
says: whole transactions, part of one, or none.
"""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.simulation.loop import VirtualLoop, World

NAME = "tercet.sqlite"
LOCKED_SECONDS = 10.0  # that a process waits for another one's transaction; what PRAGMA busy_timeout says
HEADER, FRAME = 32, 24  # bytes at the beginning of the write-ahead log, and of each of its pages

connect = sqlite3.connect


class Cursor(sqlite3.Cursor):
    """Waits for no lock: the world puts off what would have to."""

    def execute(self, sql: str, *given: Any) -> Any:
        if sql.startswith("PRAGMA busy_timeout"):
            return self
        if sql.startswith("PRAGMA synchronous="):
            self.connection.waits_for_disk = sql.endswith(("FULL", "EXTRA"))  # type: ignore[attr-defined]
        found = super().execute(sql, *given)
        self.connection.disk.executed(self.connection.owner, sql)  # type: ignore[attr-defined]
        return found

    def executemany(self, sql: str, *given: Any) -> Any:
        found = super().executemany(sql, *given)
        self.connection.disk.executed(self.connection.owner, sql)  # type: ignore[attr-defined]
        return found


class Connection(sqlite3.Connection):
    """One connection of one process."""

    disk: Disk
    owner: VirtualLoop
    waits_for_disk = True

    def cursor(self, *_: Any) -> Any:
        """A cursor; OperationalError while the database is away."""
        self.disk.raise_if_away(self.owner)
        return super().cursor(Cursor)

    def commit(self) -> None:
        if self.in_transaction:
            self.disk.commit(self, super().commit)

    def close(self) -> None:
        self.disk.connections.pop(id(self), None)
        super().close()


class Disk:
    """The file, its connections, and what is wrong with them. ``committed`` is called after each transaction,
    ``executed`` after each statement."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.folder = folder
        self.path = folder / NAME
        self.connections: dict[int, Connection] = {}
        self.away: dict[VirtualLoop, float] = {}  # until when the database does not answer a process
        self.fails: dict[VirtualLoop, tuple[str, float]] = {}  # whose COMMITs fail "before" or "after" they are done
        self.cut_at_commit: Callable[[], None] | None = None  # the power goes during one of the next
        self.commits_to_cut = 0  # after so many
        self.committed: Callable[[VirtualLoop], None] = lambda _owner: None
        self.executed: Callable[[VirtualLoop, str], None] = lambda _owner, _sql: None
        self._image: tuple[bytes, bytes] | None = None
        self._synced: tuple[bytes, int] | None = None  # salt and frames on disk, where not all of them are
        self._random = world.random("disk")
        self.observer = connect(self.path, isolation_level=None)

    def connect(self, database: Any, *given: Any, **how: Any) -> Any:
        """Open a connection of the process whose code runs."""
        owner = self.world.current
        if owner is None:
            return connect(database, *given, **how)
        self.raise_if_away(owner)
        made: Connection = connect(database, *given, **{**how, "factory": Connection, "timeout": 0.0})
        made.disk, made.owner = self, owner
        self.connections[id(made)] = made
        return made

    def raise_if_away(self, owner: VirtualLoop) -> None:
        """OperationalError where the database does not answer this process now."""
        if self.away.get(owner, 0.0) > self.world.now:
            raise sqlite3.OperationalError("disk I/O error")

    def locked_until(self, owner: VirtualLoop, since: float) -> float:
        """When to try again what ``owner`` has wanted to do ``since``: now, unless another process is writing."""
        if self.world.now - since < LOCKED_SECONDS:
            for one in self.connections.values():
                if one.owner is not owner and one.in_transaction:
                    return self.world.now + self._random.uniform(1e-3, 1e-2)
        return 0.0

    def close_all_of(self, owner: VirtualLoop) -> None:
        """The process is gone: what it had not committed is rolled back."""
        for one in [one for one in self.connections.values() if one.owner is owner]:
            one.close()
        self.away.pop(owner, None)
        self.fails.pop(owner, None)

    def commit(self, connection: Connection, commit: Callable[[], None]) -> None:
        """Commit, or fail, or lose the power meanwhile."""
        owner = connection.owner
        self.raise_if_away(owner)
        fails, until = self.fails.get(owner, ("", 0.0))
        fails = fails if self.world.now < until else ""
        self.commits_to_cut -= 1
        cut = self.cut_at_commit if self.commits_to_cut < 0 else None
        if fails == "before":
            raise sqlite3.OperationalError("disk I/O error")
        if cut is not None:
            self.cut_at_commit = None
            file, before = self.path.read_bytes(), self._frames()
            commit()
            self._image = file, self._torn(self._log().read_bytes(), self._synced or before)
            self.world.at(self.world.now, cut)  # before anything hears of this transaction
            return
        if connection.waits_for_disk:
            self._synced = None
        elif self._synced is None:
            self._synced = self._frames()
        commit()
        self.committed(owner)
        if fails:
            raise sqlite3.OperationalError("disk I/O error")

    def _log(self) -> Path:
        return self.path.with_name(f"{NAME}-wal")

    def _frames(self) -> tuple[bytes, int]:
        """The salt of the write-ahead log, and how many pages it holds."""
        log = self._log().read_bytes() if self._log().exists() else b""
        return log[16:24], self._count(log)

    @staticmethod
    def _page(log: bytes) -> int:
        return int(struct.unpack(">I", log[8:12])[0]) + FRAME

    def _count(self, log: bytes) -> int:
        if len(log) < HEADER:
            return 0
        size, count = self._page(log), 0
        while log[HEADER + count * size + 8 : HEADER + count * size + 16] == log[16:24]:
            count += 1
        return count

    def _torn(self, log: bytes, kept: tuple[bytes, int]) -> bytes:
        """The log with what was on disk, and some bytes of the rest."""
        if len(log) < HEADER:
            return log
        size = self._page(log)
        least = HEADER + size * (kept[1] if kept[0] == log[16:24] else 0)
        most = HEADER + size * self._count(log)
        return log[: self._random.choice((least, self._random.randint(least, most)))]

    def lose_power(self) -> None:
        """Every process is dead by now: leave on disk what was synced, and perhaps more."""
        if self._image is None:
            log = self._log().read_bytes() if self._log().exists() else b""
            self._image = self.path.read_bytes(), log if self._synced is None else self._torn(log, self._synced)
        file, log = self._image
        self._image, self._synced, self.cut_at_commit = None, None, None
        self.observer.close()
        for one in list(self.connections.values()):
            one.close()
        for old in (self.path, self._log(), self.path.with_name(f"{NAME}-shm")):
            old.unlink(missing_ok=True)  # SQLite knows a file by its inode, and the dead may still have it open
        self.path.write_bytes(file)
        self._log().write_bytes(log)
        heads = self.path.with_name(f"{NAME}-heads")
        if heads.exists():  # it is written without waiting for the disk
            told = heads.read_bytes()
            heads.write_bytes(told[: self._random.randint(0, len(told))])
        self.observer = connect(self.path, isolation_level=None)
