"""How many games one server process bears: action to acknowledgement, and to the opponents' messages.

    python benchmarks/load.py --games 1000 --every 5 --seconds 60

A server on a free port plays ``--games`` games at once, a third each of SanQi, Triplicity and Sparklies on their usual
boards with running clocks, every seat a WebSocket client of its own that plays random legal actions; in each game
somebody acts every ``--every`` seconds. The clients run on this machine too, in a process of their own. In the same run
a bare FastAPI application that echoes what comes over its WebSockets is asked as often over as many sockets. Both are
given with the time that everything took in the clients: what they measure is what a client sees.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import itertools
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

GAMES = (("sanqi", 2), ("triplicity", 3), ("sparklies", 2))
CLOCK = {"kind": "fischer", "minutes": 60, "increment": 30}
OPENING_AT_ONCE = 16
WARMING = 10.0  # seconds of play before anything is measured


def server(folder: str, port: int, engines: int) -> None:
    """Run the server, without limits on what one address may ask."""
    from tercet.server.http.limits import Limits
    from tercet.server.run import serve

    rates = {
        name: None for name in vars(Limits()) if name.endswith(("_minute", "_person", "_hour", "_second", "_network"))
    }
    limits = Limits(**rates, sockets_per_address=1_000_000, connections_per_address=1_000_000)  # type: ignore[arg-type]
    serve(port=port, data_dir=folder, limits=limits, engines=engines)


def echo(port: int) -> None:
    """Run the bare application."""
    import uvicorn
    from fastapi import FastAPI, WebSocket, WebSocketDisconnect

    app = FastAPI()

    async def answer(wire: WebSocket) -> None:
        await wire.accept()
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                await wire.send_text(await wire.receive_text())

    answer.__annotations__["wire"] = WebSocket  # where FastAPI cannot look a local name up
    app.add_api_websocket_route("/", answer)
    uvicorn.run(app, port=port, log_level="warning", ws="websockets-sansio", access_log=False)


class Process:
    """A program that listens on a port, and what it costs."""

    def __init__(self, *words: str, script: str = __file__) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [sys.executable, script, *(word.replace("PORT", str(self.port)) for word in words)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            if self.process.poll() is not None:
                raise SystemExit("the server does not start")
            time.sleep(0.05)

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> int:
        """Resident bytes."""
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def end(self) -> None:
        """Stop it."""
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


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
    """One game after another in the same place, each seat a client of its own."""

    def __init__(self, load: Load, name: str, seats: int) -> None:
        self.load = load
        self.name = name
        self.seats = seats
        self.rng = random.Random(f"{load.seed} {name} {id(self)}")
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
            "game": self.name,
            "clock": CLOCK,
            "seats": [{"kind": "me"}, *({"kind": "friend"} for _ in range(self.seats - 1))],
        }
        answer = await self.load.http.post("/api/tables", json=body)
        assert answer.status_code == 201, answer.text
        told = answer.json()
        self.number = self.ply = 0
        self.over = False
        self.actions = []
        self.wires = []
        for seat in told["seats"]:
            token = seat["token"] or seat["link"].split("seat=")[1]
            address = f"ws://127.0.0.1:{self.load.port}/api/tables/{told['id']}/live?seat={token}"
            connection = await connect(
                address, max_size=None, compression=self.load.compression, ping_interval=None, open_timeout=60
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
    """All games of one server."""

    def __init__(self, port: int, games: int, every: float, seed: int, compression: str | None) -> None:
        self.port = port
        self.every = every
        self.seed = seed
        self.compression: Any = compression
        self.times = Times()
        self.finished = 0
        limits = httpx.Limits(max_connections=OPENING_AT_ONCE)
        self.http = httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=120, limits=limits)
        self.tables = [Table(self, *GAMES[number % len(GAMES)]) for number in range(games)]

    async def begin(self) -> None:
        """Open all tables."""
        turn = asyncio.Semaphore(OPENING_AT_ONCE)

        async def one(table: Table) -> None:
            async with turn:
                await table.open()

        await asyncio.gather(*(one(table) for table in self.tables))


async def measure_games(chosen: argparse.Namespace, folder: str) -> dict[str, Any]:
    """Play, and what came of it."""
    process = Process("--serve", folder, "--port", "PORT", "--engines", str(chosen.engines))
    try:
        load = Load(process.port, chosen.games, chosen.every, chosen.seed, chosen.compression)
        await warm(load)
        empty = process.memory()
        began = time.perf_counter()
        await load.begin()
        opening = time.perf_counter() - began
        playing = [asyncio.ensure_future(table.play()) for table in load.tables]
        await asyncio.sleep(WARMING + chosen.every)
        gc.collect()
        gc.disable()
        cpu, own, began = process.cpu(), time.process_time(), time.perf_counter()
        load.times.open = True
        await asyncio.wait(playing, timeout=chosen.seconds, return_when=asyncio.FIRST_EXCEPTION)
        load.times.open = False
        seconds = time.perf_counter() - began
        cpu, own = process.cpu() - cpu, time.process_time() - own
        gc.enable()
        for task in playing:
            if task.done():
                task.result()
            task.cancel()
        memory = process.memory()
        sockets = sum(len(table.wires) for table in load.tables)
        return {
            "games": chosen.games,
            "sockets": sockets,
            "actions_per_s": round(len(load.times.acks) / seconds, 1),
            "messages_per_s": round(load.times.messages / seconds, 1),
            "bytes_per_message": round(load.times.bytes / max(1, load.times.messages)),
            **load.times.told(),
            "errors": load.times.errors,
            "finished_games": load.finished,
            "server_cpu": round(cpu / seconds, 3),
            "cpu_ms_per_action": round(1000 * cpu / max(1, len(load.times.acks)), 2),
            "client_cpu": round(own / seconds, 3),
            "memory_mb": round(memory / 1e6, 1),
            "memory_per_game_kb": round((memory - empty) / chosen.games / 1e3, 1),
            "opened_per_s": round(chosen.games / opening, 1),
        }
    finally:
        process.end()


async def warm(load: Load) -> None:
    """Have all kernels in the server's memory before anything is measured."""
    for name, seats in GAMES:
        table = Table(load, name, seats)
        await table.open()
        for _ in range(5):
            assert table.mover is not None
            action, table.actions = table.rng.choice(table.actions), []
            await table.wires[table.mover].ask(type="act", ply=table.ply, action=action)
            while not table.actions and not table.over:
                await asyncio.sleep(0.02)
        for wire in table.wires:
            await wire.close()
    await asyncio.sleep(5)  # its own warming


async def measure_echo(chosen: argparse.Namespace, sockets: int, rate: float) -> dict[str, Any]:
    """The same number of actions over as many sockets, sent back as they came."""
    process = Process("--echo", "--port", "PORT")
    try:
        times = Times()
        wires: list[Wire] = []
        for _ in range(sockets):
            connection = await connect(
                f"ws://127.0.0.1:{process.port}/", compression=chosen.compression, ping_interval=None, open_timeout=60
            )
            wires.append(Wire(connection, times, lambda *_: None))
        rng = random.Random(chosen.seed)
        every = sockets / rate

        async def talk(wire: Wire) -> None:
            due = time.perf_counter() + rng.random() * every
            while True:
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                if times.open:
                    times.late.append(time.perf_counter() - due)
                await wire.ask(type="ack", ply=12, action="Rd4")
                due += every

        talking = [asyncio.ensure_future(talk(wire)) for wire in wires]
        await asyncio.sleep(WARMING / 2)
        gc.collect()
        gc.disable()
        cpu, began = process.cpu(), time.perf_counter()
        times.open = True
        await asyncio.wait(talking, timeout=chosen.seconds / 2, return_when=asyncio.FIRST_EXCEPTION)
        times.open = False
        seconds = time.perf_counter() - began
        cpu = process.cpu() - cpu
        gc.enable()
        for task in talking:
            task.cancel()
        return {
            "sockets": sockets,
            "messages_per_s": round(len(times.acks) / seconds, 1),
            **times.told(),
            "server_cpu": round(cpu / seconds, 3),
            "memory_mb": round(process.memory() / 1e6, 1),
        }
    finally:
        process.end()


async def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Both, one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        games = await measure_games(chosen, folder)
    bare = await measure_echo(chosen, games["sockets"], chosen.games / chosen.every)
    return {"cores": os.cpu_count(), "load_average": os.getloadavg()[0], "tercet": games, "echo": bare}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two actions of a game")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to measure")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engines", type=int, default=1)
    parser.add_argument("--compression", choices=["deflate"], help="as browsers ask for; else none")
    parser.add_argument("--serve", metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--echo", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        server(chosen.serve, chosen.port, chosen.engines)
    elif chosen.echo:
        echo(chosen.port)
    else:
        print(json.dumps(asyncio.run(run(chosen)), indent=1))


if __name__ == "__main__":
    main()
