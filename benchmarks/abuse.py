"""What players notice of an attacker's abuse of the server.

    python -m benchmarks.abuse [--only uploads pings.socket ...] [--seconds 10] [--json] [--nginx]

A server with its usual limits runs as ``tercet serve`` runs it. Innocent players of eight networks play, each with five
actions a second; one of them also opens tables, has records read and plays an engine of level 5. Before, during and
after that, attackers of other networks do each of :data:`ABUSES` from a process of their own. Those that are the same
against any server hit a bare FastAPI application first, while the innocent play on: what they suffer then is the
machine's doing, not the server's. Addresses come in ``X-Forwarded-For``, as by a trusted proxy; all run on this
machine.

A line is printed for each as soon as it is measured, and in the end a table with the verdict on each: held, or not
held, with every bound and its figure. Acknowledgements hold where their 99th percentile is within the bound, or within
:data:`CONTROL_FACTOR` times what it was beside the bare application. The status is 1 where something did not hold. All
of it takes half an hour; ``--only costly`` has those of the costs alone.
Floods (``pings.socket``) come from one socket, from one address (60 sockets) and from two networks (60 each).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from benchmarks import front
from benchmarks.hostile import ABUSES, CONTROLLED, COSTLY, SMALL, attack, path_of, wire
from benchmarks.load import Process, spread

INNOCENT = "198.51.100.7"
OTHERS = tuple(f"198.18.{number}.7" for number in range(7))  # innocent, too, and each of a network of its own
LINES = ("ack", "opening", "engine", "record")
WHEN = ("before", "control", "during", "after")
BOUNDS = {"ack": 100, "opening": 1000, "engine": 2000, "record": 2000}  # milliseconds of the 99th percentile meanwhile
CONTROL_FACTOR = 1.2
GROWTH = 10.0  # percent of the server's memory that may stay
RECORD = '[Game "sanqi"]\n[Options "side=6"]\n\n1. Ra1 {' + "a comment " * 490 + "} Ya2 *"  # 5,000 characters
numbers = itertools.count(1)


# The innocent -----------------------------------------------------------------------------------------------------


class Innocent:
    """The innocent players, and how long they waited, in seconds."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.http = httpx.AsyncClient(base_url=front.address("http", port), timeout=60, verify=front.trust() or True)
        self.times: dict[str, list[float]] = {line: [] for line in LINES}
        self.refused = 0
        self._playing: set[asyncio.Task[None]] = set()
        self.table = ""  # the first player's, for an attacker who wants to disturb it

    def take(self) -> dict[str, Any]:
        """What was measured since the last time, in milliseconds."""
        told = {line: {"n": len(times), **spread(times)} for line, times in self.times.items()}
        self.times = {line: [] for line in LINES}
        return told

    async def open(self, *seats: dict[str, Any], host: str = INNOCENT) -> dict[str, Any]:
        """Open a table, if need be at the second attempt."""
        while True:
            body = {"seats": list(seats), **SMALL}
            answer = await self.http.post("/api/tables", json=body, headers={"x-forwarded-for": host})
            if answer.status_code == 201:
                opened: dict[str, Any] = answer.json()
                return opened
            self.refused += 1
            await asyncio.sleep(1)

    async def play(self, host: str) -> None:
        """Act five times a second."""
        while True:
            opened = await self.open({"kind": "me"}, {"kind": "here"}, host=host)
            if host == INNOCENT:
                self.table = opened["id"]
            async with wire(self.port, path_of(opened), host) as socket:
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

    async def read_records(self) -> None:
        """Have a record read every two seconds."""
        while True:
            began = time.perf_counter()
            answer = await self.http.post("/api/record", json={"text": RECORD}, headers={"x-forwarded-for": INNOCENT})
            self.refused += answer.status_code != 200
            self.times["record"].append(time.perf_counter() - began)
            await asyncio.sleep(2)


# Measuring --------------------------------------------------------------------------------------------------------


async def measure(name: str, innocent: Innocent, server: Process, echo: int, seconds: float) -> dict[str, Any]:
    """What the innocent notices of one abuse, and what the server's process held."""

    async def meanwhile(target: int) -> tuple[dict[str, Any], str]:
        """What they notice while ``target`` is attacked, and how it answers the attack."""
        command = [sys.executable, "-m", "benchmarks.abuse", "--attack", name, "--port", str(innocent.port)]
        command += ["--table", innocent.table, "--seconds", str(seconds), "--target", str(target)]
        hostile = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
        assert hostile.stdout is not None
        await hostile.stdout.readline()  # it has begun
        innocent.take()
        said, _ = await hostile.communicate()
        return innocent.take(), said.decode()

    innocent.take()
    innocent.refused = 0
    await asyncio.sleep(seconds / 2)
    told: dict[str, Any] = {"before": innocent.take()}
    told["control"] = (await meanwhile(echo))[0] if name in CONTROLLED else None
    memory, cpu = server.memory(), server.cpu()
    told["during"], said = await meanwhile(innocent.port)
    most = server.memory()
    told["cpu"] = (server.cpu() - cpu) / seconds
    await asyncio.sleep(2)
    innocent.take()
    await asyncio.sleep(seconds / 2)
    megabytes = {when: round(size / 1e6) for when, size in (("before", memory), ("during", most))}
    megabytes["after"] = round(server.memory() / 1e6)
    told |= {"after": innocent.take(), "megabytes": megabytes, "refused": innocent.refused}
    return {"abuse": name, "answered": json.loads(said or "{}"), **told}


def bound_of(line: str, found: dict[str, Any]) -> float:
    """What the 99th percentile may be."""
    control = found["control"]["ack"]["p99"] if line == "ack" and found["control"] else 0.0
    return max(BOUNDS[line], CONTROL_FACTOR * control)


def figures(found: dict[str, Any]) -> dict[str, float]:
    """What the innocent noticed while it lasted, in the order of the bounds; infinite where he got no answer at all.
    Memory is what stayed, in percent of what was held before."""
    told = {line: found["during"][line]["p99"] for line in BOUNDS}
    memory = found["megabytes"]
    return {
        **{line: math.inf if math.isnan(p99) else p99 for line, p99 in told.items()},
        "memory": 100 * (memory["after"] / memory["before"] - 1),
    }


def missed(found: dict[str, Any]) -> list[str]:
    """What of :data:`BOUNDS` and :data:`GROWTH` does not hold."""
    bounds = {**{line: bound_of(line, found) for line in BOUNDS}, "memory": GROWTH}
    return [line for line, figure in figures(found).items() if figure > bounds[line]]


def show(found: dict[str, Any]) -> None:
    """One line, as soon as it is measured."""
    cells = [f"{found['abuse']:21}"]
    for line in LINES:
        told = [found[when][line] if found[when] else {"p50": math.nan, "p99": math.nan} for when in WHEN]
        cells.append(" ".join(f"{one['p50']:.0f}/{one['p99']:.0f}" for one in told).rjust(32))
    cells.append("/".join(map(str, found["megabytes"].values())).rjust(12))
    answered = ", ".join(f"{count} {what}" for what, count in sorted(found["answered"].items()))
    print(*cells, f"{found['refused']:4}  {answered}", flush=True)


def judge(all_found: list[dict[str, Any]]) -> bool:
    """The last table: a verdict on each abuse, with each bound and its figure. Whether all held."""
    heads = [f"{line} <= {most} ms" for line, most in BOUNDS.items()]
    heads += [f"memory <= +{GROWTH:.0f} %", "ack p50", "beside the bare one"]
    print(f"\n{'abuse':21} {'verdict':9} " + "  ".join(heads))
    for found in all_found:
        over, shown = missed(found), figures(found)
        cells = [
            f"{figure:+.1f} %" if line == "memory" else f"{figure:.0f} ms" if figure < math.inf else "no answer"
            for line, figure in shown.items()
        ]
        cells = [f"{cell} !" if line in over else f"{cell}  " for line, cell in zip(shown, cells, strict=True)]
        control = found["control"] and found["control"]["ack"]
        cells.append(f"{found['during']['ack']['p50']:.0f} ms")
        cells.append(f"{control['p50']:.0f}/{control['p99']:.0f} ms" if control else "")
        filled = "  ".join(cell.rjust(len(head)) for cell, head in zip(cells, heads, strict=True))
        print(f"{found['abuse']:21} {'NOT HELD' if over else 'held':9} {filled}")
    held = sum(not missed(found) for found in all_found)
    print(f"{held} of {len(all_found)} held; what is over its bound is marked with !", flush=True)
    return held == len(all_found)


async def run(chosen: argparse.Namespace, folder: str, stack: contextlib.ExitStack) -> bool:
    """Measure everything that was chosen; whether all of it held."""
    all_found: list[dict[str, Any]] = []
    server = Process("--serve", folder, "--port", "PORT", module="benchmarks.abuse")
    echo = Process("--echo", "--port", "PORT")
    playing: list[asyncio.Task[None]] = []
    try:
        port = stack.enter_context(front.behind_nginx(server.port, Path(folder))) if chosen.nginx else server.port
        innocent = Innocent(port)
        playing = [asyncio.ensure_future(innocent.play(host)) for host in (INNOCENT, *OTHERS)]
        work = (innocent.play_engine, innocent.open_tables, innocent.read_records)
        playing += [asyncio.ensure_future(one()) for one in work]
        await innocent.http.get("/api/puzzles/daily")  # the set is read once
        await asyncio.sleep(chosen.warming)
        if not chosen.json:
            heads = tuple(f"{line} p50/p99 ms".rjust(32) for line in LINES)
            heads = (*heads, "memory MB".rjust(12))
            print("abuse".ljust(21), *heads, "refused  answered (before, control, during, after)", flush=True)
        only = itertools.chain(*(COSTLY if name == "costly" else [name] for name in chosen.only or ABUSES))
        for name in only:
            found = await measure(name, innocent, server, echo.port, chosen.seconds)
            all_found.append(found)
            print(json.dumps(found), flush=True) if chosen.json else show(found)
            for task in playing:
                if task.done():
                    task.result()
        return all(not missed(found) for found in all_found) if chosen.json else judge(all_found)
    finally:
        for task in playing:
            task.cancel()
        server.end()
        echo.end()


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=["costly", *ABUSES], metavar="ABUSE", help=", ".join(ABUSES))
    parser.add_argument("--seconds", type=float, default=10.0, help="how long each lasts")
    parser.add_argument("--warming", type=float, default=15.0, help="seconds of play before anything is measured")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--nginx", action="store_true", help="all go through nginx and TLS, as deploy/nginx.conf says")
    parser.add_argument("--serve", metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--attack", choices=ABUSES, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--target", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--table", default="", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.serve:
        from tercet.server.run import serve

        os.environ["TERCET_TRUSTED_PROXIES"] = "127.0.0.1"
        serve(port=chosen.port, data_dir=chosen.serve)
    elif chosen.attack:
        if front.VARIABLE in os.environ:  # encrypting their floods would take the processor that is the server's
            os.nice(10)
        asyncio.run(attack(chosen.attack, chosen.port, chosen.table, chosen.seconds, chosen.target))
    else:
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            held = asyncio.run(run(chosen, folder, stack))
        sys.exit(0 if held else 1)


if __name__ == "__main__":
    main()
