"""A PostgreSQL and a Redis of one's own, for tests and measurements: private folders, Unix sockets, nothing shared."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _binary(name: str) -> str | None:
    found = shutil.which(name)
    if found is None:
        for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
            if (folder / name).exists():
                return str(folder / name)
    return found


def missing() -> str:
    """Which of the programs is not here; empty where all are."""
    lacking = [one for one in ("postgres", "initdb", "pg_basebackup", "pg_dump", "redis-server") if not _binary(one)]
    return f"{', '.join(lacking)} not installed (Debian: postgresql, redis-server)" if lacking else ""


class _Service:
    """A process in a folder of its own."""

    folder: Path
    ends = signal.SIGKILL
    _process: subprocess.Popen[bytes] | None = None

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(self.ends)
            self._process.wait(30)
            self._process = None

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Postgres(_Service):
    """A database server in a folder of its own. ``durable`` false spares the disk: nothing is then said about what a
    power cut leaves. ``environment`` is added to that of its processes, ``settings`` are more of its options. A
    ``copy_of`` another follows that one as its replica."""

    ends = signal.SIGQUIT  # it lets all go without saving

    def __init__(
        self,
        durable: bool = False,
        environment: Mapping[str, str] | None = None,
        settings: Sequence[str] = (),
        copy_of: Postgres | None = None,
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="tercet-pg-"))
        self.port = free_port()
        self._names = itertools.count()
        self._as: dict[str, Any] = {"cwd": self.folder}
        if os.geteuid() == 0:  # it refuses to run as root
            shutil.chown(self.folder, "postgres", "postgres")
            self._as |= {"user": "postgres", "group": "postgres", "extra_groups": []}
        data = str(self.folder / "data")
        if copy_of is None:
            how = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-locale", "--no-sync"]
            command = [str(_binary("initdb")), "-D", data, *how]
        else:
            source = ["-h", "127.0.0.1", "-p", str(copy_of.port), "-U", "postgres"]
            command = [str(_binary("pg_basebackup")), "-D", data, *source, "-R", "-X", "stream", "-c", "fast"]
        subprocess.run(command, check=True, capture_output=True, **self._as)
        self.settings = [f"fsync={'on' if durable else 'off'}", "max_connections=200", *settings]
        self.environment = {**os.environ, **(environment or {})}
        with (self.folder / "data" / "pg_hba.conf").open("a") as allowed:  # networks of the tests' own
            allowed.write("host all all 10.64.0.0/10 trust\nhost replication all 127.0.0.1/32 trust\n")
        self.start()

    def start(self) -> None:
        where = ("-D", str(self.folder / "data"), "-k", str(self.folder), "-p", str(self.port))
        settings = ["listen_addresses=127.0.0.1", *self.settings]  # the last one of a name holds
        command = [str(_binary("postgres")), *where, *(part for setting in settings for part in ("-c", setting))]
        log: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": (self.folder / "log").open("ab")}
        self._process = subprocess.Popen(command, env=self.environment, **log, **self._as)
        import psycopg

        for _ in range(300):
            with contextlib.suppress(psycopg.OperationalError):
                psycopg.connect(self.url("postgres"), connect_timeout=2).close()
                return
            time.sleep(0.1)
        raise RuntimeError("PostgreSQL does not start")

    def url(self, database: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def create(self) -> str:
        import psycopg

        name = f"tercet{next(self._names)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)

    def dump(self, url: str) -> bytes:
        return subprocess.run([str(_binary("pg_dump")), url], check=True, capture_output=True).stdout


class Redis(_Service):
    """A Redis that keeps nothing, at a Unix socket of its own; with ``is_open`` at a port of all addresses too."""

    def __init__(self, is_open: bool = False) -> None:
        self.port = free_port() if is_open else 0
        self.folder = Path(tempfile.mkdtemp(prefix="tercet-redis-"))
        self.url = f"unix://{self.folder}/socket"
        self.start()

    def start(self) -> None:
        command = [str(_binary("redis-server")), "--port", str(self.port), "--bind", "*", "--protected-mode", "no"]
        command += ["--unixsocket", str(self.folder / "socket"), "--save", "", "--appendonly", "no"]
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, cwd=self.folder, **quiet)
        for _ in range(200):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as wire:
                wire.connect(str(self.folder / "socket"))
                return
            time.sleep(0.05)
        raise RuntimeError("Redis does not start")
