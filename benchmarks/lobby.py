"""What a lobby with thousands of open tables costs.

    python -m benchmarks.lobby [--tables 4600] [--seconds 20] [--profile FILE]

People of many networks open tables that wait for somebody, and each follows the lobby as the page does (a page of six,
then changes). Then tables go on being opened, and taken, while somebody asks for the lobby again and again: how long
that takes him, what followers are sent, how long opening takes, and what memory the server holds. In the same run a
bare FastAPI application that echoes a word is asked as often. All run on this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Sequence
from typing import Any

import httpx
from websockets.asyncio.client import connect

from benchmarks.hostile import SMALL, wire
from benchmarks.load import Process, spread

OF_EACH = 12  # tables that one person may have waiting
UNLIMITED = (
    "tables_per_minute requests_per_minute requests_per_person guests_per_minute cpu_seconds_per_minute "
    "bytes_per_minute rows_per_minute waiting_per_network queued_per_person"
)
FOLLOWED = "/api/lobby/live?changes=true&page=0&size=6"


class Evening:
    """A lobby that fills. Times are in seconds."""

    def __init__(self, server: Process, echo: Process) -> None:
        self.server = server
        self.echo = echo
        self.http = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{server.port}", timeout=60, limits=httpx.Limits(max_connections=64)
        )
        self.cookies: dict[str, str] = {}
        self.tables: list[str] = []
        self.opening: list[float] = []
        self.told: list[int] = []  # bytes that each follower was sent
        self.following: list[asyncio.Task[None]] = []

    @staticmethod
    def host(number: int) -> str:
        """Where somebody is, in a network of his own."""
        return f"10.{number // 250}.{number % 250}.1"

    async def ask(self, host: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Ask as somebody, who is known from then on."""
        headers = {"x-forwarded-for": host, "cookie": self.cookies.get(host, "")}
        answer = await self.http.post(path, json=body, headers=headers)
        self.http.cookies.clear()
        answer.raise_for_status()
        if "set-cookie" in answer.headers:
            self.cookies[host] = answer.headers["set-cookie"].partition(";")[0]
        told: dict[str, Any] = answer.json()
        return told

    async def open(self, host: str) -> None:
        """Open a table that waits for somebody."""
        began = time.perf_counter()
        told = await self.ask(host, "/api/tables", {"seats": [{"kind": "me"}, {"kind": "open"}], **SMALL})
        self.opening.append(time.perf_counter() - began)
        self.tables.append(told["id"])

    async def fill(self, number: int) -> None:
        """Have ``number`` tables opened by people who then follow the lobby."""
        hosts = [self.host(one) for one in range(-(-number // OF_EACH))]
        left = iter(hosts)

        async def some() -> None:
            for host in left:
                for _ in range(min(OF_EACH, number - OF_EACH * hosts.index(host))):
                    await self.open(host)
                self.following.append(asyncio.ensure_future(self.follow(host)))

        await asyncio.gather(*(some() for _ in range(8)))

    async def follow(self, host: str) -> None:
        """Follow the lobby as the page does."""
        number = len(self.told)
        self.told.append(0)
        async with wire(self.server.port, FOLLOWED, host, self.cookies[host]) as socket:
            async for text in socket:
                self.told[number] += len(text)

    async def change(self) -> None:
        """Have twice a second a table opened and another taken."""
        for number in range(10_000):
            host = self.host(60_000 + number)
            await self.open(host)
            await self.ask(self.host(62_000), f"/api/tables/{self.tables[-2]}/seats/1", {})
            await asyncio.sleep(0.5)

    async def look(self, seconds: float, page: str) -> list[float]:
        """How long it took to be told of the lobby, five times a second."""
        times = []
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            began = time.perf_counter()
            answer = await self.http.get(f"/api/lobby?{page}", headers={"x-forwarded-for": "198.51.100.7"})
            answer.raise_for_status()
            times.append(time.perf_counter() - began)
            await asyncio.sleep(0.2)
        return times

    async def ask_echo(self, seconds: float) -> list[float]:
        """The same of a bare application."""
        times = []
        end = time.perf_counter() + seconds
        async with connect(f"ws://127.0.0.1:{self.echo.port}/", compression=None, ping_interval=None) as socket:
            while time.perf_counter() < end:
                began = time.perf_counter()
                await socket.send("word")
                await socket.recv()
                times.append(time.perf_counter() - began)
                await asyncio.sleep(0.2)
        return times


def show(what: str, times: Sequence[float]) -> None:
    """A line."""
    told = spread(times)
    print(f"{what:42} p50 {told['p50']:7.1f}   p99 {told['p99']:7.1f}   worst {1000 * max(times):7.1f} ms", flush=True)


async def run(chosen: argparse.Namespace, folder: str) -> None:
    """Measure."""
    words = ["--profile", chosen.profile] if chosen.profile else []
    server = Process("--serve", folder, "--port", "PORT", *words, module="benchmarks.lobby")
    echo = Process("--echo", "--port", "PORT")
    try:
        evening = Evening(server, echo)
        await evening.open(evening.host(61_000))
        await asyncio.sleep(chosen.warming)
        evening.opening.clear()
        memory, cpu, began = server.memory(), server.cpu(), time.perf_counter()
        await evening.fill(chosen.tables)
        took, cpu = time.perf_counter() - began, server.cpu() - cpu
        print(
            f"{chosen.tables} tables opened in {took:.0f} s: {chosen.tables / took:.0f} a second, "
            f"{1000 * cpu / chosen.tables:.1f} ms of a processor each; {len(evening.following)} follow the lobby"
        )
        show("opening a table, eight at once", evening.opening)
        print(f"memory {memory / 1e6:.0f} MB before, {server.memory() / 1e6:.0f} MB with the tables", flush=True)
        await asyncio.sleep(3)
        evening.opening.clear()
        before, cpu, began = list(evening.told), server.cpu(), time.perf_counter()
        changing = asyncio.ensure_future(evening.change())
        found = await asyncio.gather(
            evening.look(chosen.seconds, "page=0&size=6"),
            evening.look(chosen.seconds, ""),
            evening.look(chosen.seconds, "page=40&size=6"),
            evening.ask_echo(chosen.seconds),
        )
        changing.cancel()
        took, cpu = time.perf_counter() - began, server.cpu() - cpu
        for what, times in zip(
            ("the page's lobby", "a hundred tables", "a later page", "bare echo"), found, strict=True
        ):
            show(what, times)
        show("opening a table meanwhile", evening.opening)
        sent = sum(now - then for now, then in zip(evening.told, before, strict=True))
        print(
            f"each follower was sent {60 * sent / took / len(before) / 1000:.1f} kB a minute, all together "
            f"{60 * sent / took / 1e6:.2f} MB; the server took {cpu / took:.2f} of a processor; "
            f"memory {server.memory() / 1e6:.0f} MB"
        )
        for task in evening.following:
            task.cancel()
    finally:
        server.end()
        echo.end()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=4600)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--warming", type=float, default=10.0, help="seconds before anything is measured")
    parser.add_argument("--profile", metavar="FILE", help="write what the loop's thread did (cProfile)")
    parser.add_argument("--serve", metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if not chosen.serve:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(run(chosen, folder))
        return
    from tercet.server.run import serve

    os.environ["TERCET_TRUSTED_PROXIES"] = "127.0.0.1"
    os.environ["TERCET_BOUNDS"] = " ".join(f"{name}=none" for name in UNLIMITED.split())
    if not chosen.profile:
        serve(port=chosen.port, data_dir=chosen.serve)
        return
    import cProfile
    import signal

    signal.signal(signal.SIGTERM, lambda *_: None)  # which the server raises again when it has ended
    profile = cProfile.Profile(time.thread_time)
    profile.runcall(serve, port=chosen.port, data_dir=chosen.serve)
    profile.dump_stats(chosen.profile)


if __name__ == "__main__":
    main()
