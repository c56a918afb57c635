"""The clients of ``benchmarks/load.py``: games that are played over WebSockets, and how long everything took."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

__all__ = ["CLOCK", "GAMES", "Load", "Sort", "Table", "Times", "Wire", "spread"]


@dataclass(frozen=True)
class Sort:
    """A sort of game to play: its name, the number of its seats and its options."""

    name: str
    seats: int = 2
    options: tuple[tuple[str, Any], ...] = ()


GAMES = (Sort("sanqi"), Sort("triplicity", 3), Sort("sparklies"))
CLOCK = {"kind": "fischer", "minutes": 60, "increment": 30}
OPENING_AT_ONCE = 8
FEW = 3_500  # games whose clients may all come from one address
CALM = 3.0  # seconds in which clients catch up before anything is measured
OPENED_A_SECOND = 40  # tables, at most: nobody opens thousands at once


@dataclass
class Times:
    """Seconds measured, while ``open``."""

    acks: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)
    late: list[float] = field(default_factory=list)  # by which the clients themselves were late to act
    bytes: int = 0
    messages: int = 0
    errors: int = 0
    open: bool = False

    def told(self) -> dict[str, Any]:
        """Milliseconds."""
        return {
            "measured": len(self.acks),
            "ack": spread(self.acks),
            **({"opponent": spread(self.others)} if self.others else {}),
            "client_late": spread(self.late),
        }


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Percentiles in milliseconds."""
    ranked = sorted(seconds) or [float("nan")]

    def at(share: float) -> float:
        return round(1000 * ranked[min(len(ranked) - 1, int(share * len(ranked)))], 2)

    return {"p50": at(0.5), "p95": at(0.95), "p99": at(0.99), "max": round(1000 * ranked[-1], 2)}


class Wire:
    """A client's socket. What comes is read at once, and its time noted."""

    ids = itertools.count(1)

    def __init__(
        self, connection: ClientConnection, times: Times, hear: Callable[[dict[str, Any], float], None]
    ) -> None:
        self.connection = connection
        self.times = times
        self.hear = hear
        self.waiting: dict[str, tuple[float, bool]] = {}
        self.reading = asyncio.ensure_future(self.read())

    async def read(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for text in self.connection:
                self.take(text, time.perf_counter())

    def take(self, text: str | bytes, now: float) -> None:
        if self.times.open:
            self.times.messages += 1
            self.times.bytes += len(text)
        message = json.loads(text)
        if message["type"] in ("ack", "error") and "id" in message:
            sent, counts = self.waiting.pop(message["id"])
            if counts and self.times.open:
                self.times.acks.append(now - sent)
        self.hear(message, now)

    async def ask(self, **message: Any) -> None:
        message["id"] = f"c{next(self.ids)}"
        text = json.dumps(message)
        self.waiting[message["id"]] = (time.perf_counter(), self.times.open)
        await self.connection.send(text)

    async def close(self) -> None:
        self.reading.cancel()
        await self.connection.close()


class Table:
    """One game after another in the same place, each seat a client of its own, of any of the server's processes."""

    def __init__(self, load: Load, sort: Sort) -> None:
        self.load = load
        self.sort = sort
        self.rng = random.Random(f"{load.seed} {sort.name} {id(self)}")
        self.wires: list[Wire] = []
        self.sent = 0.0
        self.number = 0
        self.mover: int | None = None
        self.actions: list[str] = []
        self.ply = 0
        self.over = False
        self.moved = asyncio.Event()

    async def open(self) -> None:
        """Open a table and sit down in all seats."""
        for wire in self.wires:
            await wire.close()
        body = {
            "game": self.sort.name,
            "options": dict(self.sort.options),
            "clock": CLOCK,
            "seats": [{"kind": "me"}, *({"kind": "friend"} for _ in range(self.sort.seats - 1))],
        }
        answer = await self.load.http.post(f"http://127.0.0.1:{self.load.port()}/api/tables", json=body)
        assert answer.status_code == 201, answer.text
        told = answer.json()
        self.number = self.ply = 0
        self.over = False
        self.actions = []
        self.wires = []
        for seat in told["seats"]:
            token = seat["token"] or seat["link"].split("seat=")[1]
            address = f"ws://127.0.0.1:{self.load.port()}/api/tables/{told['id']}/live?seat={token}"
            connection = await connect(
                address,
                max_size=None,
                compression=self.load.compression,
                ping_interval=None,
                open_timeout=60,
                local_addr=self.load.home(),
            )
            number = len(self.wires)
            self.wires.append(Wire(connection, self.load.times, lambda *said, seat=number: self.hear(seat, *said)))
        while not self.actions:
            await asyncio.sleep(0.01)

    def hear(self, seat: int, message: dict[str, Any], now: float) -> None:
        """Take notice of what one of the seats is told."""
        if message["type"] == "error":
            self.load.times.errors += 1
            print(message, file=sys.stderr)
        state = message.get("state")
        if state is None:
            return
        is_theirs = message["type"] == "event" and message["kind"] == "action" and message["seat"] != seat
        if is_theirs and self.load.times.open:
            self.load.times.others.append(now - self.sent)
        if state["number"] < self.number:
            return
        self.number, self.ply, self.mover, self.over = state["number"], state["ply"], state["mover"], state["over"]
        if state["view"]["paths"]:
            self.actions = [path[0] for path in state["view"]["paths"]]

    async def play(self) -> None:
        """Act every so often, for ever."""
        every = self.load.every
        due = time.perf_counter() + self.rng.random() * every
        while True:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            if self.over:
                await self.open()
                self.load.finished += 1
            assert self.mover is not None
            if self.load.times.open:
                self.load.times.late.append(time.perf_counter() - due)
            self.sent = time.perf_counter()
            action = self.rng.choice(self.actions)
            self.actions = []
            await self.wires[self.mover].ask(type="act", ply=self.ply, action=action)
            due += every
            while not self.actions and not self.over:
                await asyncio.sleep(0.05)


class Load:
    """All games of one server, whose processes listen on ``ports``; in each somebody acts ``every`` so many seconds."""

    def __init__(self, ports: Sequence[int], sorts: Sequence[Sort], every: float, seed: int, compression: str | None):
        self._ports = itertools.cycle(ports)
        self._homes = itertools.cycle(f"127.0.0.{number}" for number in range(2, 10))
        self.every = every
        self.seed = seed
        self.compression: Any = compression
        self.times = Times()
        self.finished = 0
        limits = httpx.Limits(max_connections=OPENING_AT_ONCE)
        self.http = httpx.AsyncClient(timeout=120, limits=limits)
        self.tables = [Table(self, sort) for sort in sorts]

    def port(self) -> int:
        """Where the next client goes."""
        return next(self._ports)

    def home(self) -> tuple[str, int] | None:
        """Where the next client comes from: where there are many, from several addresses, since no single one gets more
        than half of the connections that a server may have."""
        return (next(self._homes), 0) if len(self.tables) > FEW else None

    async def begin(self) -> None:
        """Open all tables."""
        turn = asyncio.Semaphore(OPENING_AT_ONCE)

        async def one(number: int, table: Table) -> None:
            await asyncio.sleep(number / OPENED_A_SECOND)
            async with turn:
                await table.open()

        await asyncio.gather(*(one(number, table) for number, table in enumerate(self.tables)))

    async def play(self, warming: float, seconds: float, began: Callable[[], None]) -> float:
        """Play, and after ``warming`` measure for so many ``seconds``, at whose beginning ``began`` is called; how many
        it really were. The clients' garbage is collected :data:`CALM` seconds earlier and not meanwhile: they would
        measure how late that makes themselves."""
        playing = [asyncio.ensure_future(table.play()) for table in self.tables]
        await asyncio.sleep(max(0.0, warming - CALM))
        gc.collect()
        gc.disable()
        await asyncio.sleep(CALM)
        began()
        begun = time.perf_counter()
        self.times.open = True
        await asyncio.wait(playing, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
        self.times.open = False
        took = time.perf_counter() - begun
        for task in playing:
            if task.done():
                task.result()
            task.cancel()
        return took

    async def close(self) -> None:
        """Hang up everywhere."""
        await asyncio.gather(*(wire.close() for table in self.tables for wire in table.wires))
        await self.http.aclose()
