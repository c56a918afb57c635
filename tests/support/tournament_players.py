"""Clients who take part in tournaments and play at random, and a server process of ``tercet serve`` for them."""

import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from typing import Any, Protocol

import httpx
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

Data = dict[str, Any]
FISCHER = {"kind": "fischer", "minutes": 5, "increment": 5}
SANQI = {"game": "sanqi", "options": {"side": 4}, "clock": FISCHER}
SPARKLIES = {"game": "sparklies", "options": {"board": "3x3"}, "clock": FISCHER}
TRIPLICITY = {"game": "triplicity", "clock": FISCHER}


class Address(Protocol):
    """A server, wherever it is now."""

    port: int


class Player:
    """Somebody who takes part: joins, goes to the table he is told, and plays what he may there at random."""

    def __init__(self, serving: Address, name: str, patience: int = 1000) -> None:
        self.serving = serving
        self.name = name
        self.patience = patience  # actions after which he resigns
        self.chance = random.Random(name)
        self.violations: list[str] = []
        self.stopped = threading.Event()
        self.tables: list[str] = []
        self.waited: list[float] = []  # seconds from the end of a game to the next table
        self.http = httpx.Client(timeout=60)
        assert self.ask("POST", "/api/me", {"name": name}).status_code == 200

    def ask(self, method: str, path: str, body: Data | None = None) -> httpx.Response:
        return self.http.request(method, f"http://127.0.0.1:{self.serving.port}{path}", json=body)

    def told(self, tournament: str) -> Any:
        answer = self.ask("GET", f"/api/tournaments/{tournament}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    def do(self, tournament: str, what: str, status: int = 200) -> Any:
        answer = self.ask("POST", f"/api/tournaments/{tournament}/{what}")
        assert answer.status_code == status, answer.text
        return answer.json()

    def announce(self, **body: Any) -> str:
        answer = self.ask("POST", "/api/tournaments", {"name": "A tournament", **body})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def begin(self, tournament: str) -> threading.Thread:
        """Take part, in a thread of its own, until it is over."""
        thread = threading.Thread(target=self.take_part, args=(tournament,), daemon=True)
        thread.start()
        return thread

    def take_part(self, tournament: str) -> None:
        ended: float | None = None
        while not self.stopped.is_set():
            try:
                told = self.told(tournament)
                if told["state"] == "over":
                    return
                table = told["yourTable"]
                if table is not None:
                    if table not in self.tables:
                        self.tables.append(table)
                        if ended is not None:
                            self.waited.append(time.monotonic() - ended)
                    self.play(table)
                    ended = time.monotonic()
            except (httpx.TransportError, WebSocketException, OSError, TimeoutError):
                pass  # the server is being restarted
            except AssertionError as violation:
                self.violations.append(f"{self.name}: {violation}")
                return
            time.sleep(0.1)

    def wire(self, path: str) -> ClientConnection:
        cookie = "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())
        address = f"ws://127.0.0.1:{self.serving.port}{path}"
        return connect(address, additional_headers={"cookie": cookie}, max_size=None, open_timeout=20)

    def play(self, table: str) -> None:
        with self.wire(f"/api/tables/{table}/live") as wire:
            number = 0
            while not self.stopped.is_set():
                message = json.loads(wire.recv(timeout=60))
                if message["type"] == "error" and message["code"] not in ("stale-ply", "over", "not-your-turn"):
                    self.violations.append(f"{self.name}: {message}")
                    return
                if message["type"] not in ("snapshot", "event"):
                    continue
                state = message["state"]
                if state["over"]:
                    return
                if state["mover"] not in state["yourSeats"]:
                    continue
                number += 1
                ask: Data = {"id": f"{table}.{state['ply']}.{number}"}
                if state["ply"] >= self.patience:
                    ask |= {"type": "resign", "seat": state["mover"]}
                else:
                    action = self.chance.choice(state["view"]["paths"])[0]
                    ask |= {"type": "act", "ply": state["ply"], "action": action}
                wire.send(json.dumps(ask))


def gather(serving: Address, count: int, patience: int = 1000) -> list[Player]:
    return [Player(serving, f"Player {number}", patience) for number in range(count)]


def started(players: list[Player], **plan: Any) -> tuple[str, Data]:
    """Return a tournament that all have joined and the first of them has started, and what the server says of it."""
    tournament = players[0].announce(**plan)
    for player in players:
        player.do(tournament, "join")
    return tournament, players[0].do(tournament, "begin")


def finish(
    players: list[Player], tournament: str, seconds: float = 240, threads: list[threading.Thread] | None = None
) -> Data:
    """Let everybody play until it is over; ``threads`` in which they do so already."""
    if threads is None:
        threads = [player.begin(tournament) for player in players]
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        told = players[0].told(tournament)
        if told["state"] == "over" or any(player.violations for player in players):
            break
        time.sleep(0.2)
    for player in players:
        player.stopped.set()
    for thread in threads:
        thread.join(70)
        assert not thread.is_alive()
    assert [violation for player in players for violation in player.violations] == []
    last: Data = players[0].told(tournament)
    assert last["state"] == "over", last
    return last


def encounters(told: Data) -> Counter[frozenset[str]]:
    return Counter(frozenset(who["name"] for who in one["people"]) for one in told["pairings"] if not one["bye"])


class TercetProcess:
    def __init__(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="arena-")
        self.port = 0
        self.start()

    def start(self) -> None:
        words = ["serve", "--port", str(self.port), "--no-browser", "--data-dir", self.folder.name]
        self.process = subprocess.Popen([sys.executable, "-m", "tercet", *words], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        found = re.search(r":(\d+)/", self.process.stdout.readline())
        assert found is not None, "the server did not start"
        self.port = int(found[1])

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(20)
        self.start()

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)
        self.folder.cleanup()
