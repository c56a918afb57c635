"""One seed played to its end: the plan, the world that it makes, and what of it must not have been."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tercet.execution import choose_execution
from tercet.server.store import address, migrate
from tests.simulation.bus import Bus
from tests.simulation.disk import NAME, Disk
from tests.simulation.loop import VirtualLoop, World
from tests.simulation.network import LineLost, Socket, request
from tests.simulation.players import Game, Player
from tests.simulation.process import Process
from tests.simulation.swapped import Clocks, swapped

__all__ = ["Fault", "Plan", "Report", "Scene", "Traits", "simulate"]

GAMES: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("sanqi", {"side": 3}, 2),
    ("sparklies", {"board": "5x5"}, 2),
    ("triplicity", {}, 3),
)


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong ``at`` a moment: to the process of that number, or to what all share."""

    at: float
    kind: str
    process: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        return f"{self.at:.2f} s: {self.kind} {self.process} {self.seconds:.2f}"


@dataclass(frozen=True)
class Traits:
    """How somebody plays: thinks for up to so many seconds, loses the line so often, and is asleep at first."""

    thinks: float
    breaks: float
    sleeps_until: float = 0.0


@dataclass(frozen=True)
class Plan:
    """All that a seed stands for."""

    seed: int
    processes: int = 1
    games: int = 1
    long: int = 14
    turn: int | None = 10
    faults: tuple[Fault, ...] = ()

    @classmethod
    def of(cls, seed: int) -> Plan:
        """The plan of a seed."""
        return cls(seed)


@dataclass
class Report:
    """What came of one seed."""

    plan: Plan
    virtual_seconds: float = 0.0
    steps: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    story: list[tuple[float, str]] = field(default_factory=list)
    digest: str = ""


class Scene:
    """The world of one plan."""

    def __init__(self, plan: Plan, folder: Path) -> None:
        self.plan = plan
        self.world = World(plan.seed)
        self.report = Report(plan)
        self.disk = Disk(self.world, folder)
        self.clocks = Clocks(self.world)
        self.bus = Bus(self.world) if plan.processes > 1 else None
        self.random = self.world.random("scene")
        self.quiet = False
        self.processes = [
            Process(self.world, number, self.disk, self.bus, self._said, self._overheard, self.tell)
            for number in range(plan.processes)
        ]
        self.outside = VirtualLoop(self.world, "outside")
        self.outside.on_error = lambda context: self.violation(f"in a client: {context}")
        self.games: list[Game] = []
        self.done = False
        self._digest = hashlib.blake2b(digest_size=8)

    # Notes ------------------------------------------------------------------------------------------------------------

    def tell(self, what: str) -> None:
        """Add to the story."""
        self.report.story.append((self.world.now, what))
        self._digest.update(f"{self.world.now:.9f} {what}\n".encode())

    def violation(self, what: str) -> None:
        """Note what must not be."""
        self.report.violations.append(what)
        self.tell(f"*** {what}")

    def count(self, what: str) -> None:
        """Count it."""
        self.report.counts[what] += 1

    def _said(self, socket: Socket, text: str) -> None:
        self.tell(f"{socket.process.name} to {socket.name}: {_short(text)}")

    def _overheard(self, socket: Socket, text: str) -> None:
        self.tell(f"{socket.name} to {socket.process.name}: {_short(text)}")

    def told(self, game: Game, event: dict[str, Any]) -> None:
        """A client was told an event."""

    # The run ----------------------------------------------------------------------------------------------------------

    def run(self) -> Report:
        """Play the plan."""
        with swapped(self.world, self.disk, self.clocks, self._sample):
            for process in self.processes:
                process.start()
            self.outside.call_soon(lambda: self.outside.create_task(self._people()))
            if not self.world.run(lambda: self.done, 600.0):
                self.violation("the world did not come to an end")
        for process in self.processes:
            for error in process.errors:
                self.violation(f"{process.name}: {error}")
        self.report.virtual_seconds = self.world.now
        self.report.steps = self.world.steps
        self.report.digest = self._digest.hexdigest()
        return self.report

    def _sample(self, sample: Callable[[], None]) -> None:
        loop = self.world.current
        for process in self.processes:
            if process.lives and process.loop is loop:
                process.samples.append(sample)

    async def _people(self) -> None:
        games = [self._game(number) for number in range(self.plan.games)]
        await asyncio.gather(*(self._play(game) for game in games))
        self.done = True

    def _game(self, number: int) -> Game:
        name, options, seats = self.random.choice(GAMES)
        kinds = [{"kind": "me" if seat == 0 else "friend"} for seat in range(seats)]
        body: dict[str, Any] = {"game": name, "options": options, "seats": kinds}
        if self.plan.turn is not None:
            body["clock"] = {"kind": "turn", "seconds": self.plan.turn}
        return Game(f"game {number}", body, self.plan.long)

    async def _play(self, game: Game) -> None:
        self.games.append(game)
        number = 0
        while not game.id:
            number += 1
            process = self.random.choice(self.processes)
            try:
                answer = await request(process, f"{game.name} opening {number}", "POST", "/api/tables", game.body)
            except LineLost:
                await asyncio.sleep(0.2)
                continue
            if answer.status == 503:
                await asyncio.sleep(0.2)
                continue
            if answer.status != 201:
                self.violation(f"{game.name} was not opened: {answer.status} {answer.body!r}")
                return
            told = answer.json
            tokens = [seat["token"] or (seat["link"] or "=").split("=")[1] or None for seat in told["seats"]]
            game.id = told["id"]
        game.players = [
            Player(self, game, f"{game.name} seat {seat}", seat, token, Traits(0.5, 0.0))
            for seat, token in enumerate(tokens)
            if token
        ]
        await asyncio.gather(*(player.play() for player in game.players))


def _short(text: str) -> str:
    message = json.loads(text)
    kind = message["type"]
    if kind == "event":
        return f"event {message['number']} {message['kind']}"
    if kind == "snapshot" and "state" in message:
        return f"snapshot at {message['state']['number']}"
    return text if len(text) < 120 else f"{text[:117]}..."


_TEMPLATE: list[Path] = []


def _template() -> Path:
    """A database with nothing in it but its schema, made once."""
    if not _TEMPLATE:
        folder = Path(tempfile.mkdtemp(prefix="tercet-simulation-", dir=_fast()))
        migrate(address(folder / NAME))
        _TEMPLATE.append(folder / NAME)
        for name, _, _ in GAMES:
            choose_execution(name, "interpreted")
        gc.collect()
        gc.freeze()  # so that a world's own objects are soon looked through when it ends
    return _TEMPLATE[0]


def _fast() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def simulate(plan: Plan) -> Report:
    """Play a plan to its end."""
    template = _template()
    with tempfile.TemporaryDirectory(prefix="tercet-simulation-", dir=_fast()) as folder:
        shutil.copy(template, Path(folder) / NAME)
        scene = Scene(plan, Path(folder))
        report = scene.run()
        scene.disk.observer.close()
        for one in list(scene.disk.connections.values()):
            one.close()
        scene.world.close()
    return report


if __name__ == "__main__":
    import sys
    import time

    for seed in range(int(sys.argv[1]), int(sys.argv[2])):
        began = time.process_time()
        found = simulate(Plan.of(seed))
        print(seed, f"{time.process_time() - began:.2f} s", found.virtual_seconds, found.steps, found.digest)
        print(found.counts, found.violations[:5])
        if len(sys.argv) > 3:
            for at, what in found.story:
                print(f"{at:9.4f}  {what}")
    random.seed()
