"""Server processes in networks of their own (Linux network namespaces, as root), so that packets between them and the
database or Redis are truly lost: no connection is closed, each side waits for what does not come."""

import asyncio
import contextlib
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Sequence

# What is cut: everything between a process and both services, one direction, one service, or all for short moments.
CUTS = ("all", "requests", "answers", "redis", "database", "bursts")


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def missing() -> str:
    """Say what is not here that this needs; empty where all is."""
    if shutil.which("ip") is None:
        return "ip not installed (Debian: iproute2)"
    name = f"tercet-{os.getpid()}-try"
    try:
        _ip("netns", "add", name)
        _ip("netns", "del", name)
    except subprocess.CalledProcessError:
        return "no network namespaces here: they need root on Linux"
    return ""


def _free_subnets(count: int) -> list[str]:
    """Return the first three numbers of networks that this machine has no address in."""
    addresses = subprocess.run(["ip", "-4", "-o", "addr"], check=True, capture_output=True, text=True).stdout
    drawn = random.SystemRandom().sample(range(64 * 256), 64)
    subnets = (f"10.{64 + number // 256}.{number % 256}" for number in drawn)
    return [subnet for subnet in subnets if f" {subnet}." not in addresses][:count]


class Network:
    """One process's network: clients reach it at ``address``; it reaches the database at ``database`` and Redis at
    ``redis``, over a line that can be cut. Its addresses are its own: of two networks with the same
    address one would hear nothing."""

    def __init__(self, number: int) -> None:
        unique = os.getpid()
        inside, outside = _free_subnets(2)
        self.name = f"tercet-{unique}-{number}"
        self.database, self._back, self.redis = (f"{inside}.{last}" for last in (1, 2, 3))
        self.address = f"{outside}.2"
        self._line, self._front = f"tb{unique}n{number}", f"tf{unique}n{number}"
        _ip("netns", "add", self.name)
        for line, ends in ((self._line, (self.database, self.redis)), (self._front, (f"{outside}.1",))):
            _ip("link", "add", line, "type", "veth", "peer", "name", line, "netns", self.name)
            for end in ends:
                _ip("addr", "add", f"{end}/24", "dev", line)
            _ip("link", "set", line, "up")
        _ip("-n", self.name, "addr", "add", f"{self._back}/24", "dev", self._line)
        _ip("-n", self.name, "addr", "add", f"{self.address}/24", "dev", self._front)
        for line in (self._line, self._front, "lo"):
            _ip("-n", self.name, "link", "set", line, "up")

    @property
    def command(self) -> Sequence[str]:
        return ("ip", "netns", "exec", self.name)

    def wait(self, port: int) -> None:
        """Wait until the database, at this port, can be reached from inside."""
        connect = f"import socket; socket.create_connection(({self.database!r}, {port}), 60)"
        subprocess.run([*self.command, sys.executable, "-S", "-c", connect], check=True)

    async def cut(self, kind: str, seconds: float, rng: random.Random) -> None:
        """Lose packets for so many seconds, or until cancelled."""
        inside, hole = ("-n", self.name, "route"), ("blackhole",)
        steps: dict[str, tuple[tuple[str, ...], ...]] = {
            "requests": ((*inside, "?", *hole, self.database), (*inside, "?", *hole, self.redis)),
            "answers": (("route", "?", *hole, self._back),),
            "redis": ((*inside, "?", *hole, self.redis),),
            "database": ((*inside, "?", *hole, self.database),),
        }
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        if kind in steps:
            self._change(steps[kind], "add")
            try:
                await asyncio.sleep(seconds)
            finally:
                self._change(steps[kind], "del")
            return
        while loop.time() < until:
            self._set("down")
            try:
                await asyncio.sleep(rng.uniform(0.05, 0.6) if kind == "bursts" else seconds)
            finally:
                self._set("up")
            await asyncio.sleep(rng.uniform(0.05, 0.6) if kind == "bursts" else 0.0)

    def _set(self, state: str) -> None:
        _ip("link", "set", self._line, state)

    @staticmethod
    def _change(steps: tuple[tuple[str, ...], ...], how: str) -> None:
        for step in steps:
            _ip(*(how if word == "?" else word for word in step))

    def close(self) -> None:
        for words in (("link", "del", self._line), ("link", "del", self._front), ("netns", "del", self.name)):
            with contextlib.suppress(subprocess.CalledProcessError):
                _ip(*words)
