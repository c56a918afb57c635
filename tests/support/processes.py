"""Server processes that are killed, suspended and started anew, and the log that they leave in the database."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import sqlalchemy as sa
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from .network import Network
from .services import free_port

CONNECTION_LOST = (OSError, ConnectionClosed, InvalidHandshake, InvalidMessage, httpx.TransportError, EOFError)
PROGRAM = Path(__file__).with_name("serve.py")


class ServerProcess:
    """One server process at a port of its own. ``where`` is its environment's share that says where games are kept;
    ``games`` (JSON) which kernels it loads before it answers; ``network`` is one of its own (None: this machine's)."""

    def __init__(self, where: dict[str, str], games: str = "", network: Network | None = None) -> None:
        self.port = free_port()
        self.network = network
        self.host = "127.0.0.1" if network is None else network.address
        self.where = {**where, "TERCET_WARM_GAMES": games}
        self.starts_s: list[float] = []
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def base(self) -> str:
        return f"{self.host}:{self.port}"

    async def start(self) -> None:
        began = time.monotonic()
        prefix = () if self.network is None else self.network.command
        self._process = subprocess.Popen(
            [*prefix, sys.executable, "-P", str(PROGRAM), str(self.port), self.host],
            stdout=subprocess.DEVNULL,
            env={**os.environ, **self.where},
        )
        async with httpx.AsyncClient() as http:
            while True:
                if self._process.poll() is not None:
                    raise RuntimeError("the server does not start")
                with contextlib.suppress(httpx.TransportError):
                    if (await http.get(f"http://{self.base}/health")).status_code == 200:
                        break
                await asyncio.sleep(0.02)
        self.starts_s.append(time.monotonic() - began)

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    async def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            while self._process.poll() is None:
                await asyncio.sleep(0.02)
            self._process = None

    def suspend(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)


@dataclass(frozen=True)
class LoggedEvent:
    """An event as it is on disk. ``client_id`` is the seat that asked for it, a colon, and the id that its client gave;
    None where the server did it by itself."""

    number: int
    kind: str
    data: dict[str, Any]
    client_id: str | None = None


def read_logs(url: sa.URL) -> dict[str, list[LoggedEvent]]:
    """Every table's log, from the disk; ``url`` is as :func:`tercet.server.store.database.address` makes it."""
    from tercet.server.store.schema import EVENTS

    engine = sa.create_engine(url)
    found: dict[str, list[LoggedEvent]] = {}
    with engine.connect() as connection:
        for row in connection.execute(sa.select(EVENTS).order_by(EVENTS.c.table_id, EVENTS.c.number)):
            found.setdefault(row.table_id, []).append(LoggedEvent(row.number, row.kind, row.data, row.client_id))
    engine.dispose()
    return found


def summary(values: list[float]) -> str:
    """Median, 95th percentile and worst of so many seconds."""
    if not values:
        return "none"
    ordered = sorted(values)
    return (
        f"median {ordered[len(ordered) // 2]:.2f} s, p95 {ordered[int(0.95 * (len(ordered) - 1))]:.2f} s, "
        f"worst {ordered[-1]:.2f} s (of {len(ordered)})"
    )
