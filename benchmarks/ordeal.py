"""What the ordeals of the server share: processes that are killed and come back, and the log that they leave.

``python benchmarks/ordeal.py --serve PORT`` is such a process; where its games are kept the environment says
(``TERCET_DATA``, or ``TERCET_DATABASE`` and ``TERCET_REDIS``).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import sqlalchemy as sa
from services import free_port
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from tercet.session import Seat, Session, TableSettings
from tercet.view import position_view

__all__ = ["GONE", "Row", "Server", "read_logs", "spread", "warm"]

GONE = (OSError, ConnectionClosed, InvalidHandshake, InvalidMessage, httpx.TransportError, TimeoutError, EOFError)


def warm(game: str, options: dict[str, Any], seats: int, actions: int = 400) -> None:
    """Have a game's kernels compiled and loaded: a server killed while it compiles starts over each time."""
    rng = random.Random(1)
    session = Session.open(TableSettings(game, options, (Seat("person"),) * seats))
    while not session.is_over and session.ply < actions:
        position_view(session.position)
        session = session.with_action(str(rng.choice(session.position.legal_actions)))


class Server:
    """One server process at a port of its own."""

    def __init__(self, where: dict[str, str], games: str = "") -> None:
        self.port = free_port()
        self.where = {**where, "ORDEAL_GAMES": games}
        self.starts_s: list[float] = []
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def base(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self.port}"

    async def start(self) -> None:
        """Start it and wait until it answers."""
        began = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--serve", str(self.port)],
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

    def kill(self) -> None:
        """SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    async def stop(self) -> None:
        """SIGTERM: it ends in good order."""
        if self._process is not None:
            self._process.terminate()
            while self._process.poll() is None:
                await asyncio.sleep(0.02)
            self._process = None

    def freeze(self) -> None:
        """SIGSTOP: it does nothing, and knows nothing of it."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)


@dataclass(frozen=True)
class Row:
    """An event as it is on disk. ``asked`` is the id that a client gave, after the seat it holds; None where nobody
    asked for it."""

    number: int
    kind: str
    data: dict[str, Any]
    asked: str | None = field(default=None)


def read_logs(url: sa.URL) -> dict[str, list[Row]]:
    """Every table's log, from the disk; ``url`` is the database's as :func:`tercet.server.store.address` makes it."""
    from tercet.server.store.schema import EVENTS

    engine = sa.create_engine(url.set(drivername=url.drivername.replace("+aiosqlite", "")))
    found: dict[str, list[Row]] = {}
    with engine.connect() as connection:
        for row in connection.execute(sa.select(EVENTS).order_by(EVENTS.c.table_id, EVENTS.c.number)):
            found.setdefault(row.table_id, []).append(Row(row.number, row.kind, row.data, row.client_id))
    engine.dispose()
    return found


def spread(values: list[float]) -> str:
    """Median, 95th percentile and worst of so many seconds."""
    if not values:
        return "none"
    ordered = sorted(values)
    return (
        f"median {ordered[len(ordered) // 2]:.2f} s, p95 {ordered[int(0.95 * (len(ordered) - 1))]:.2f} s, "
        f"worst {ordered[-1]:.2f} s (of {len(ordered)})"
    )


def main() -> None:
    """Serve."""
    from tercet.server.http.limits import Limits
    from tercet.server.run import serve

    for game, options, seats in json.loads(os.environ.get("ORDEAL_GAMES") or "[]"):
        warm(game, options, seats, 10)
    rates = {name: None for name in vars(Limits()) if name.endswith(("_minute", "_person", "_hour", "_second"))}
    limits = Limits(**rates, sockets_per_address=1_000_000)  # type: ignore[arg-type]
    folder = os.environ.get("TERCET_DATA")
    serve("127.0.0.1", int(sys.argv[2]), Path(folder) if folder else None, limits=limits, warm=False)


if __name__ == "__main__":
    main()
