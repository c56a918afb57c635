"""What somebody who plays notices of somebody else's abuse of the server.

    python -m benchmarks.abuse [--only uploads arrivals ...] [--seconds 10] [--json]

A server with its usual limits runs as ``tercet serve`` runs it. An innocent player plays, opens tables and plays an
engine of level 5; before, while and after people of another network do each of :data:`ABUSES` from processes of their
own. In the same run a bare FastAPI application that echoes a word is asked as often: what it suffers is the machine's,
not the server's. Addresses are told by ``X-Forwarded-For``, as by a trusted proxy; all run on this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from benchmarks.load import Process, spread

INNOCENT = "198.51.100.7"
ANSWERED = (ConnectionClosed, InvalidStatus, httpx.HTTPError, OSError, TimeoutError)
SMALL: dict[str, Any] = {"game": "sanqi", "options": {"side": 6}}
LARGE: dict[str, Any] = {"game": "sanqi", "options": {"side": 30}}
LINES = ("ack", "opening", "engine", "echo")
numbers = itertools.count(1)


def hostile_host() -> str:
    """Somebody of the hostile network."""
    return f"203.0.113.{random.randrange(1, 255)}"


def wire(port: int, path: str, host: str, cookie: str = "") -> Any:
    """A socket of somebody at ``host``."""
    headers = {"x-forwarded-for": host, **({"cookie": cookie} if cookie else {})}
    address = f"ws://127.0.0.1:{port}{path}"
    return connect(
        address, max_size=None, compression=None, ping_interval=None, open_timeout=60, additional_headers=headers
    )


def path_of(opened: dict[str, Any]) -> str:
    """The socket of a table that was opened, with all its seats."""
    tokens = [seat["token"] for seat in opened["seats"] if seat["token"]]
    return f"/api/tables/{opened['id']}/live?" + "&".join(f"seat={token}" for token in tokens)


# The innocent -----------------------------------------------------------------------------------------------------


class Innocent:
    """Somebody who plays, and the seconds that things took him while ``open``."""

    def __init__(self, port: int, echo: int) -> None:
        self.port = port
        self.echo = echo
        self.http = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port}", timeout=60, headers={"x-forwarded-for": INNOCENT}
        )
        self.times: dict[str, list[float]] = {line: [] for line in LINES}
        self.refused = 0
        self._playing: set[asyncio.Task[None]] = set()
        self.table = ""  # at which he plays, for whoever wants to disturb him

    def take(self) -> dict[str, Any]:
        """What was measured since the last time, in milliseconds."""
        told = {line: {"n": len(times), **spread(times)} for line, times in self.times.items()}
        self.times = {line: [] for line in LINES}
        return told

    async def open(self, *seats: dict[str, Any], **game: Any) -> dict[str, Any]:
        """Open a table, if need be at the second attempt."""
        while True:
            answer = await self.http.post("/api/tables", json={"seats": list(seats), **(game or SMALL)})
            if answer.status_code == 201:
                opened: dict[str, Any] = answer.json()
                return opened
            self.refused += 1
            await asyncio.sleep(1)

    async def play(self) -> None:
        """Act five times a second."""
        while True:
            opened = await self.open({"kind": "me"}, {"kind": "here"})
            self.table = opened["id"]
            async with wire(self.port, path_of(opened), INNOCENT) as socket:
                await self._game(socket, lambda seconds: self.times["ack"].append(seconds), 0.2)

    async def play_engine(self) -> None:
        """Play an engine of level 5."""
        while True:
            opened = await self.open({"kind": "me"}, {"kind": "engine", "level": 5})
            async with wire(self.port, path_of(opened), INNOCENT) as socket:
                await self._game(socket, None, 0.5)

    async def _game(self, socket: ClientConnection, acked: Callable[[float], None] | None, pause: float) -> None:
        """One game to its end; an engine's answer is measured from the acknowledgement of what it answers."""
        sent: dict[str, float] = {}
        answered = 0.0
        async for text in socket:
            message = json.loads(text)
            if message.get("id") in sent:
                answered = time.perf_counter()
                self.refused += message["type"] == "error"
                asked = sent.pop(message["id"])
                if acked is not None:
                    acked(answered - asked)
            state = message.get("state")
            if state is None:
                continue
            if state["over"]:
                return
            if message["type"] == "event" and message["kind"] == "action" and message["seat"] not in state["yourSeats"]:
                self.times["engine"].append(time.perf_counter() - answered)
            if state["mover"] in state["yourSeats"]:
                action = random.choice(state["view"]["paths"])[0]
                playing = asyncio.ensure_future(self._act(socket, state["ply"], action, pause, sent))
                self._playing.add(playing)
                playing.add_done_callback(self._playing.discard)

    async def _act(self, socket: ClientConnection, ply: int, action: str, pause: float, sent: dict[str, float]) -> None:
        """Act after a pause, in which the socket is read on."""
        await asyncio.sleep(pause)
        name = f"i{next(numbers)}"
        sent[name] = time.perf_counter()
        with contextlib.suppress(ConnectionClosed):
            await socket.send(json.dumps({"type": "act", "id": name, "ply": ply, "action": action}))

    async def open_tables(self) -> None:
        """Open a table every two seconds."""
        while True:
            began = time.perf_counter()
            await self.open({"kind": "me"}, {"kind": "friend"})
            self.times["opening"].append(time.perf_counter() - began)
            await asyncio.sleep(2)

    async def ask_echo(self) -> None:
        """Ask the bare application as often as the server."""
        async with connect(f"ws://127.0.0.1:{self.echo}/", compression=None, ping_interval=None) as socket:
            while True:
                began = time.perf_counter()
                await socket.send("word")
                await socket.recv()
                self.times["echo"].append(time.perf_counter() - began)
                await asyncio.sleep(0.2)


# The abuses -------------------------------------------------------------------------------------------------------


class Attack:
    """Hostile people against a server at ``port``; ``table`` is where the innocent plays."""

    def __init__(self, port: int, table: str) -> None:
        self.port = port
        self.table = table
        self.counts: Counter[str] = Counter()
        self.http = httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30, limits=httpx.Limits())

    async def post(self, path: str, body: dict[str, Any], cookie: str = "") -> httpx.Response:
        """Ask, as somebody of the network, and count how it was answered."""
        headers = {"x-forwarded-for": hostile_host(), **({"cookie": cookie} if cookie else {})}
        answer = await self.http.post(path, json=body, headers=headers)
        self.http.cookies.clear()
        self.counts[str(answer.status_code)] += 1
        return answer

    async def many(self, number: int, work: Callable[[], Awaitable[Any]]) -> None:
        """Have ``number`` do ``work`` again and again, whatever they are answered."""

        async def again() -> None:
            while True:
                try:
                    await work()
                except ANSWERED as error:
                    self.counts[type(error).__name__] += 1
                    await asyncio.sleep(0.05)

        await asyncio.gather(*(again() for _ in range(number)))

    async def uploads(self) -> None:
        """Long records to be read."""
        text = '[Game "sanqi"]\n[Options "side=6"]\n\n' + "".join(f"{number}. Ra1 Ya2 " for number in range(1, 10_000))
        await self.many(16, lambda: self.post("/api/record", {"text": text[:199_000]}))

    async def drawings(self) -> None:
        """Drawings of a large board."""
        start = await self.post("/api/preview", LARGE)
        position = start.json()["view"]["position"]
        await self.many(16, lambda: self.post("/api/draw", {"position": position, "size": 4000}))

    async def openings(self) -> None:
        """Tables without end, and looks at large boards."""
        seats = [{"kind": "me"}, {"kind": "here"}]
        await self.many(8, lambda: self.post("/api/tables", {"seats": seats, **LARGE}))

    async def connections(self) -> None:
        """Connections that say nothing."""
        held = []
        with contextlib.suppress(OSError):
            for _ in range(900):
                held.append(await asyncio.open_connection("127.0.0.1", self.port))
        self.counts["connections"] = len(held)
        await asyncio.sleep(3600)

    async def engines(self) -> None:
        """New guests, each with an engine of the highest level that begins."""

        async def game() -> None:
            seats = [{"kind": "engine", "level": 10}, {"kind": "me"}]
            answer = await self.post("/api/tables", {"seats": seats, **SMALL})
            if answer.status_code == 201:
                cookie = answer.headers.get("set-cookie", "").partition(";")[0]
                async with wire(self.port, path_of(answer.json()), hostile_host(), cookie) as socket:
                    await asyncio.wait_for(socket.recv(), 30)
                    await asyncio.sleep(20)

        await self.many(60, game)

    async def analyses(self) -> None:
        """As many analyses as are had."""
        start = await self.post("/api/preview", SMALL)
        position = start.json()["view"]["position"]

        async def analysis() -> None:
            async with wire(self.port, "/api/analysis", hostile_host()) as socket:
                await socket.send(json.dumps({"type": "go", "id": "a", "position": position}))
                async for text in socket:
                    if json.loads(text)["type"] == "error":
                        self.counts["refused"] += 1
                        return

        await self.many(12, analysis)

    async def lobby(self) -> None:
        """Open games that others see, and many who look at the lobby."""

        async def follow() -> None:
            async with wire(self.port, "/api/lobby/live", hostile_host()) as socket:
                async for text in socket:
                    self.counts["bytes"] += len(text)

        offers = self.many(10, lambda: self.post("/api/tables", {"seats": [{"kind": "me"}, {"kind": "open"}], **SMALL}))
        await asyncio.gather(offers, self.many(100, follow))

    async def tournaments(self) -> None:
        """Tournaments without end."""
        clock = {"kind": "fischer", "minutes": 5, "increment": 3}
        body = {"name": "Cup", "form": "swiss", "rounds": 3, "game": "sanqi", "clock": clock, "begins": 9e15}
        await self.many(8, lambda: self.post("/api/tournaments", body))

    async def arrivals(self) -> None:
        """Watchers who come to the innocent's table and go again."""

        async def visit() -> None:
            async with wire(self.port, f"/api/tables/{self.table}/live", hostile_host()) as socket:
                self.counts["bytes"] += len(await asyncio.wait_for(socket.recv(), 30))
                self.counts["visits"] += 1

        await self.many(50, visit)

    async def takebacks(self) -> None:
        """Actions that are taken back, over and over."""

        async def loop() -> None:
            answer = await self.post("/api/tables", {"seats": [{"kind": "me"}, {"kind": "here"}], **SMALL})
            if answer.status_code != 201:
                await asyncio.sleep(1)
                return
            async with wire(self.port, path_of(answer.json()), hostile_host()) as socket:
                action = json.loads(await socket.recv())["state"]["view"]["paths"][0][0]
                for number in itertools.count():
                    await socket.send(json.dumps({"type": "act", "id": f"a{number}", "ply": 0, "action": action}))
                    await socket.send(json.dumps({"type": "takeback", "id": f"t{number}", "ply": 0}))
                    for _ in range(4):
                        said = json.loads(await asyncio.wait_for(socket.recv(), 30))
                        self.counts[said.get("code", said["type"])] += 1
                        if said["type"] == "error":
                            break

        await self.many(10, loop)

    async def passwords(self) -> None:
        """Passwords that are guessed."""
        await self.many(
            16,
            lambda: self.post("/api/session", {"handle": f"ann{random.randrange(10_000)}", "password": "guessed it"}),
        )

    async def messages(self) -> None:
        """Messages as fast as they go, and words at the innocent's table."""

        async def flood() -> None:
            async with wire(self.port, f"/api/tables/{self.table}/live", hostile_host()) as socket:
                await socket.recv()
                for number in itertools.count():
                    line = {"type": "say", "id": f"s{number}", "room": "watchers", "text": "spam " * 50}
                    await socket.send(json.dumps(line))
                    said = json.loads(await asyncio.wait_for(socket.recv(), 30))
                    self.counts[said.get("code", said["type"])] += 1

        await self.many(20, flood)


ABUSES = {
    name: work.__doc__ or ""
    for name, work in vars(Attack).items()
    if name not in ("post", "many") and not name.startswith("_")
}


async def attack(name: str, port: int, table: str, seconds: float) -> None:
    """Do one of :data:`ABUSES` for so long, and print what was answered."""
    hostile = Attack(port, table)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await getattr(hostile, name)()
    print(json.dumps(hostile.counts))


# Measuring --------------------------------------------------------------------------------------------------------


async def measure(name: str, innocent: Innocent, server: Process, seconds: float) -> dict[str, Any]:
    """What the innocent notices of one abuse, and what the server's process held."""
    innocent.take()
    innocent.refused = 0
    await asyncio.sleep(seconds / 2)
    told: dict[str, Any] = {"before": innocent.take()}
    memory, cpu = server.memory(), server.cpu()
    command = [sys.executable, "-m", "benchmarks.abuse", "--attack", name, "--port", str(server.port)]
    hostile = await asyncio.create_subprocess_exec(
        *command, "--table", innocent.table, "--seconds", str(seconds), stdout=subprocess.PIPE
    )
    await asyncio.sleep(1.5)  # until it has begun
    innocent.take()
    said, _ = await hostile.communicate()
    told |= {"during": innocent.take(), "most_mb": server.memory() / 1e6, "cpu": (server.cpu() - cpu) / seconds}
    await asyncio.sleep(2)
    innocent.take()
    await asyncio.sleep(seconds / 2)
    grown = server.memory() / memory - 1
    told |= {"after": innocent.take(), "grown": round(grown, 3), "refused": innocent.refused}
    return {"abuse": name, "answered": json.loads(said or "{}"), **told}


def show(found: dict[str, Any]) -> None:
    """One line of the table."""
    cells = [f"{found['abuse']:12}"]
    for line in LINES:
        cells.append("/".join(f"{found[when][line]['p99']:.0f}" for when in ("before", "during", "after")).rjust(16))
    answered = ", ".join(f"{count} {what}" for what, count in sorted(found["answered"].items()))
    print(*cells, f"{100 * found['grown']:6.0f} %", f"{found['refused']:4}  {answered}", flush=True)


async def run(chosen: argparse.Namespace, folder: str) -> None:
    """Measure everything that was chosen."""
    server = Process("--serve", folder, "--port", "PORT", module="benchmarks.abuse")
    echo = Process("--echo", "--port", "PORT")
    playing: list[asyncio.Task[None]] = []
    try:
        innocent = Innocent(server.port, echo.port)
        work = (innocent.play, innocent.play_engine, innocent.open_tables, innocent.ask_echo)
        playing = [asyncio.ensure_future(one()) for one in work]
        await asyncio.sleep(chosen.warming)
        if not chosen.json:
            heads = (f"{line} p99 ms".rjust(16) for line in LINES)
            print("abuse".ljust(12), *heads, "  memory", "refused  answered (before/during/after)", flush=True)
        for name in chosen.only or ABUSES:
            found = await measure(name, innocent, server, chosen.seconds)
            print(json.dumps(found), flush=True) if chosen.json else show(found)
            for task in playing:
                if task.done():
                    task.result()
    finally:
        for task in playing:
            task.cancel()
        server.end()
        echo.end()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=ABUSES, metavar="ABUSE", help=", ".join(ABUSES))
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each lasts")
    parser.add_argument("--warming", type=float, default=15.0, help="seconds of play before anything is measured")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--serve", metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--attack", choices=ABUSES, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--table", default="", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        from tercet.server.run import serve

        os.environ["TERCET_TRUSTED_PROXIES"] = "127.0.0.1"
        serve(port=chosen.port, data_dir=chosen.serve)
    elif chosen.attack:
        asyncio.run(attack(chosen.attack, chosen.port, chosen.table, chosen.seconds))
    else:
        with tempfile.TemporaryDirectory() as folder:
            asyncio.run(run(chosen, folder))


if __name__ == "__main__":
    main()
