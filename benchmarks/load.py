"""How many games a server bears: action to acknowledgement, and to the opponents' messages.

    python -m benchmarks.load --games 1000 --every 5 --seconds 60
    python -m benchmarks.load --growth 100 300 1000 3000 5000 [--processes 2 --postgres]
    python -m benchmarks.load --boards 4 10 20 30

A server on a free port plays ``--games`` games at once, a third each of SanQi, Triplicity and Sparklies on their usual
boards with running clocks, every seat a WebSocket client of its own that plays random legal actions; in each game
somebody acts every ``--every`` seconds. The clients run on this machine too, in a process of their own. In the same run
a bare FastAPI application that echoes what comes over its WebSockets is asked as often over as many sockets. Both are
given with the time that everything took in the clients: what they measure is what a client sees.

``--growth`` prints a table over numbers of games instead; ``--boards`` one over sides of SanQi's board, with twelve
sockets at which somebody acts four times a second, so that it tells what a view costs. ``--postgres`` has so many
``--processes`` on a PostgreSQL and a Redis, started for it, with the seats of each game spread over the processes.
``cpu_ms_per_action`` is processor time of the server's processes, engines and databases apart, for each acknowledged
action.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import os
import random
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

from benchmarks.load_clients import CALM, GAMES, Load, Sort, Table, Times, Wire, spread

__all__ = ["Process", "spread"]

WARMING = 10.0  # seconds of play before anything is measured
BUSY = 6, 0.25  # games and seconds between two actions of each, with --boards


def server(folder: str, port: int, engines: int, database: str | None, redis: str | None) -> None:
    """Run the server, without limits on what one address may ask."""
    from tercet.server.limits.budgets import ServerLimits
    from tercet.server.run import serve

    rates = {
        name: None
        for name in vars(ServerLimits())
        if name.endswith(("_minute", "_person", "_hour", "_second", "_network"))
    }
    limits = ServerLimits(**rates, sockets_per_address=1_000_000, connections_per_address=1_000_000)  # type: ignore[arg-type]
    serve(port=port, data_dir=folder, limits=limits, engines=engines, database=database, redis=redis)


def echo(port: int) -> None:
    """Run the bare application: it sends back what comes over a socket, and answers every request with ``{}``."""
    import uvicorn
    from fastapi import FastAPI, WebSocket, WebSocketDisconnect
    from starlette.responses import Response

    app = FastAPI()

    async def answer(wire: WebSocket) -> None:
        await wire.accept()
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                await wire.send_text(await wire.receive_text())

    answer.__annotations__["wire"] = WebSocket  # where FastAPI cannot look a local name up
    app.add_api_websocket_route("/{path:path}", answer)
    app.add_route("/{path:path}", lambda _: Response("{}", media_type="application/json"), ["GET", "POST", "DELETE"])
    uvicorn.run(app, port=port, log_level="warning", ws="websockets-sansio", access_log=False)


class Process:
    """A program that listens on a port, and what it costs."""

    def __init__(self, *words: str, module: str = "benchmarks.load") -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [sys.executable, "-m", module, *(word.replace("PORT", str(self.port)) for word in words)]
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


@dataclass(frozen=True)
class Where:
    """What a measurement runs on: the folder of SQLite, or PostgreSQL and Redis by their addresses."""

    folder: str
    database: str | None = None
    redis: str | None = None


@contextlib.contextmanager
def somewhere(postgres: bool) -> Iterator[Where]:
    """A new database."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        if not postgres:
            yield Where(folder)
            return
        from tests.support import services

        if services.missing():
            raise SystemExit(services.missing())
        kept, bus = services.Postgres(durable=True), services.Redis()
        stack.callback(kept.close)
        stack.callback(bus.close)
        yield Where(folder, kept.create(), bus.url)


def start(where: Where, processes: int, engines: int) -> list[Process]:
    """The server's processes."""
    words = ["--serve", where.folder, "--port", "PORT", "--engines", str(engines)]
    if where.database is not None and where.redis is not None:
        words += ["--database", where.database, "--redis", where.redis]
    return [Process(*words) for _ in range(processes)]


async def measure_games(
    chosen: argparse.Namespace, where: Where, sorts: Sequence[Sort], every: float
) -> dict[str, Any]:
    """Play, and what came of it."""
    processes = start(where, chosen.processes, chosen.engines)
    load = Load([process.port for process in processes], sorts, every, chosen.seed, chosen.compression)
    try:
        await warm(load, list(dict.fromkeys(sorts)))
        empty = sum(process.memory() for process in processes)
        began = time.perf_counter()
        await load.begin()
        opening = time.perf_counter() - began
        cpu, own = 0.0, 0.0

        def begin() -> None:
            nonlocal cpu, own
            cpu, own = sum(process.cpu() for process in processes), time.process_time()

        seconds = await load.play(WARMING + every, chosen.seconds, begin)
        cpu, own = sum(process.cpu() for process in processes) - cpu, time.process_time() - own
        gc.enable()
        memory = sum(process.memory() for process in processes)
        return {
            "games": len(sorts),
            "processes": len(processes),
            "sockets": sum(len(table.wires) for table in load.tables),
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
            "memory_per_game_kb": round((memory - empty) / len(sorts) / 1e3, 1),
            "opened_per_s": round(len(sorts) / opening, 1),
        }
    finally:
        gc.enable()
        with contextlib.suppress(Exception):
            await load.close()
        for process in processes:
            process.end()


async def warm(load: Load, sorts: Sequence[Sort]) -> None:
    """Have all kernels in the processes' memory before anything is measured."""
    for sort in sorts:
        table = Table(load, sort)
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
        await asyncio.sleep(CALM)
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


def sorts_of(games: int) -> list[Sort]:
    """So many games, a third each of the usual ones."""
    return [GAMES[number % len(GAMES)] for number in range(games)]


HEAD = ("", "actions/s", "ack p50", "p95", "p99", "opponent p99", "cpu ms/action", "cores", "clients", "MB", "errors")


def show(name: object, found: dict[str, Any]) -> None:
    """A line of a table."""
    ack = found["ack"]
    times = (ack["p50"], ack["p95"], ack["p99"], found.get("opponent", ack)["p99"])
    costs = (found["cpu_ms_per_action"], found["server_cpu"], found["client_cpu"], found["memory_mb"], found["errors"])
    cells = (name, found["actions_per_s"], *times, *costs)
    print(*(str(cell).rjust(13) for cell in cells), flush=True)


async def tabulate(chosen: argparse.Namespace) -> None:
    """Print the table that was asked for, and how busy the machine was."""
    rows: list[tuple[str, list[Sort], float]]
    if chosen.growth:
        rows = [(f"{games} games", sorts_of(games), chosen.every) for games in chosen.growth]
    else:
        rows = [
            (f"side {side}", [Sort("sanqi", options=(("side", side),))] * BUSY[0], BUSY[1]) for side in chosen.boards
        ]
    kept = "PostgreSQL and Redis" if chosen.postgres else "SQLite"
    print(f"{chosen.processes} processes on {kept}; {os.cpu_count()} cores; times in ms")
    print(*(cell.rjust(13) for cell in HEAD), flush=True)
    for name, sorts, every in rows:
        before = os.getloadavg()[0]
        with somewhere(chosen.postgres) as where:
            show(name, await measure_games(chosen, where, sorts, every))
        print(f"{'':13} the machine's load was {before:.1f} before and {os.getloadavg()[0]:.1f} after", flush=True)


async def run(chosen: argparse.Namespace) -> dict[str, Any]:
    """Both, one after the other."""
    with somewhere(chosen.postgres) as where:
        games = await measure_games(chosen, where, sorts_of(chosen.games), chosen.every)
    bare = await measure_echo(chosen, games["sockets"], chosen.games / chosen.every)
    return {"cores": os.cpu_count(), "load_average": os.getloadavg()[0], "tercet": games, "echo": bare}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--growth", type=int, nargs="+", metavar="GAMES", help="a table over numbers of games")
    parser.add_argument("--boards", type=int, nargs="+", metavar="SIDE", help="a table over sides of a board")
    parser.add_argument("--processes", type=int, default=1, help="several need --postgres")
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL and Redis, started for it")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two actions of a game")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to measure")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engines", type=int, default=1)
    parser.add_argument("--compression", choices=["deflate"], help="as browsers ask for; else none")
    parser.add_argument("--serve", metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--database", help=argparse.SUPPRESS)
    parser.add_argument("--redis", help=argparse.SUPPRESS)
    parser.add_argument("--echo", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        server(chosen.serve, chosen.port, chosen.engines, chosen.database, chosen.redis)
        return
    if chosen.echo:
        echo(chosen.port)
        return
    if chosen.processes > 1 and not chosen.postgres:
        parser.error("several processes need --postgres")
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if chosen.growth or chosen.boards:
        asyncio.run(tabulate(chosen))
    else:
        print(json.dumps(asyncio.run(run(chosen)), indent=1))


if __name__ == "__main__":
    main()
