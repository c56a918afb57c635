"""Games over WebSocket on a server that gets SIGKILL at random moments: is anything lost or doubled?

Players at one screen play random moves and take some back; each message is sent again after a reconnection until it
is acknowledged. The server is started anew on the same data after each kill. At the end the log on disk must be, game
by game, exactly what the players sent, once each, in order, with the numbers acknowledged, and every game must have
been played to its end.

With a disk that loses what was not synced (:mod:`tests.support.disk`) each kill is a power cut: the process dies in
the place of a sync, with writes open, of which chance decides what is left; meanwhile syncs fail now and then.
"""

import asyncio
import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.asyncio.client import connect

from tercet.server.store.database import address

from .disk import LossyDisk
from .processes import CONNECTION_LOST, ServerProcess, read_logs, warm


@dataclass
class KillReport:
    games: int = 0
    finished: int = 0
    actions: int = 0
    takebacks: int = 0
    kills: int = 0
    interrupted: int = 0  # games that a kill hit, summed over kills
    resent: int = 0
    already_written: int = 0  # resends of messages that were on disk though their ack was lost
    sectors: int = 0  # that power cuts and failed syncs lost
    failed_syncs: int = 0
    restarts_s: list[float] = field(default_factory=list)
    violations: list[str] = field(default_factory=list)


@dataclass
class SentMessages:
    """One player's messages to one table, in order, with the number that each was acknowledged with."""

    table: str
    numbers: dict[str, int] = field(default_factory=dict)
    requests: dict[str, dict[str, Any]] = field(default_factory=dict)
    over: bool = False
    position: str = ""


class _Trial:
    """A server that gets killed, and the players who do not mind."""

    def __init__(self, folder: Path, games: int, seed: int, at_once: int, side: int, power: bool) -> None:
        self.folder = folder / "data"
        self.folder.mkdir()
        self.rng = random.Random(seed)
        self.at_once = at_once
        self.side = side
        self.report = KillReport(games=games)
        self.playing = 0
        self.acknowledgements = 0
        self.sent: list[SentMessages] = []
        self.server = ServerProcess({"TERCET_DATA": str(self.folder), "TERCET_ENGINES": "0"})
        self.disk = LossyDisk(self.folder / "tercet.sqlite", folder, self.rng) if power else None
        self.base = self.server.base

    async def run(self) -> KillReport:
        """Play all games, kill now and then, check."""
        warm("sanqi", {"side": self.side}, 2)
        await self.start()
        try:
            left = iter(range(self.report.games))

            async def player() -> None:
                for number in left:
                    await self.play(random.Random(self.rng.random() + number))

            players = asyncio.gather(*(player() for _ in range(self.at_once)))
            while self.disk is not None and not players.done():
                await asyncio.wait([players], timeout=0.05)
                if not self.server.is_alive:
                    self.report.interrupted += self.playing
                    await self.restart()
            while not players.done():
                # Counted in what gets done, so that a slow machine is not killed before it has done anything.
                enough = self.acknowledgements + self.rng.randint(1, 120)
                while not players.done() and self.acknowledgements < enough:
                    await asyncio.wait([players], timeout=0.01)
                await asyncio.wait([players], timeout=self.rng.uniform(0, 0.05))
                if not players.done():
                    self.report.interrupted += self.playing
                    await self.restart()
            await players
            await self.compare_views()
        finally:
            self.server.kill()
        self.compare_logs()
        self.report.restarts_s = self.server.starts_s
        return self.report

    async def start(self) -> None:
        """Start the server. On a disk that loses writes it may die before it answers: then once more."""
        while True:
            if self.disk is not None:
                die, fail = self.rng.randint(3, 150), self.rng.choice((0, 0, 2, 5, 20))
                self.server.where |= self.disk.environment(die, fail)
            try:
                await self.server.start()
                return
            except RuntimeError:
                if self.disk is None:
                    raise
                self.cut_power()

    async def restart(self) -> None:
        """Kill the server, or take notice that it died, and start it again."""
        if self.disk is None:
            self.server.kill()
            self.report.kills += 1
        else:
            self.cut_power()
        await self.start()

    def cut_power(self) -> None:
        """The server is dead; leave on disk what a power cut leaves."""
        assert self.disk is not None
        self.server.kill()
        self.report.kills += 1
        self.disk.cut_power()

    async def open(self) -> tuple[str, str]:
        """A new table: its id and the query that opens both seats. An answer that got lost leaves an empty table."""
        body = {"game": "sanqi", "options": {"side": self.side}, "seats": [{"kind": "me"}, {"kind": "here"}]}
        while True:
            try:
                async with httpx.AsyncClient(timeout=20) as http:
                    answer = (await http.post(f"http://{self.base}/api/tables", json=body)).json()
                return answer["id"], "&".join(f"seat={seat['token']}" for seat in answer["seats"])
            except CONNECTION_LOST:
                await asyncio.sleep(0.05)

    async def play(self, rng: random.Random) -> None:
        """One game to its end, through however many kills."""
        table, query = await self.open()
        sent = SentMessages(table)
        self.sent.append(sent)
        self.playing += 1
        open_message: dict[str, Any] | None = None
        count = 0
        while not sent.over:
            try:
                async with connect(f"ws://{self.base}/api/tables/{table}/live?{query}", max_size=None) as wire:
                    state = json.loads(await asyncio.wait_for(wire.recv(), 20))["state"]
                    while True:
                        if open_message is None:
                            if state["over"]:
                                sent.over, sent.position = True, state["view"]["position"]
                                break
                            open_message = self.next_message(rng, state, f"c{count}")
                            sent.requests[open_message["id"]] = open_message
                            count += 1
                        else:
                            self.report.resent += 1
                            self.report.already_written += state["number"] > len(sent.numbers)
                        await wire.send(json.dumps(open_message))
                        state = await self.acknowledged(wire, open_message, sent, state)
                        open_message = None
            except CONNECTION_LOST:
                await asyncio.sleep(0.05)
        self.playing -= 1
        self.report.finished += 1

    def next_message(self, rng: random.Random, state: dict[str, Any], name: str) -> dict[str, Any]:
        """A move, or now and then a takeback."""
        if state["ply"] > 2 and rng.random() < 0.08:
            self.report.takebacks += 1
            return {"type": "takeback", "id": name, "ply": state["ply"] - rng.randint(1, 2), "at": state["ply"]}
        self.report.actions += 1
        return {"type": "act", "id": name, "ply": state["ply"], "action": rng.choice(state["view"]["paths"])[0]}

    async def acknowledged(
        self, wire: Any, message: dict[str, Any], sent: SentMessages, state: dict[str, Any]
    ) -> dict[str, Any]:
        """Wait for the ack of ``message``; returns the newest state heard."""
        while True:
            heard = json.loads(await asyncio.wait_for(wire.recv(), 60))
            if "state" in heard:
                state = heard["state"]
            elif heard["type"] == "error" and heard["code"] == "unavailable" and self.disk is not None:
                await asyncio.sleep(0.05)  # a sync failed, or the server could not be sure in time: send it again
                await wire.send(json.dumps(message))
            elif heard["type"] == "error":
                self.violation(sent, f"{message} refused: {heard}")
                raise RuntimeError(heard)
            elif heard["type"] == "ack" and heard["id"] == message["id"]:
                sent.numbers[message["id"]] = heard["number"]
                self.acknowledgements += 1
                return state

    def violation(self, sent: SentMessages, why: str) -> None:
        self.report.violations.append(f"table {sent.table}: {why}")

    async def compare_views(self) -> None:
        """A new start of the server shows every game as its player last saw it."""
        if self.disk is not None:
            self.cut_power()
            self.report.sectors, self.report.failed_syncs = self.disk.sectors, self.disk.failures
            self.disk = None
            for name in list(self.server.where):
                if name.startswith(("TERCET_DISK", "LD_")):
                    del self.server.where[name]
        self.server.kill()
        await self.server.start()
        async with httpx.AsyncClient(timeout=60) as http:
            for sent in self.sent:
                state = (await http.get(f"http://{self.base}/api/tables/{sent.table}")).json()["state"]
                if not state["over"] or state["view"]["position"] != sent.position:
                    self.violation(sent, f"shows {state['view']['position']}, the player saw {sent.position}")

    def compare_logs(self) -> None:
        """Every message acknowledged is in the log once, with its number, as it was meant, and nothing else is."""
        logs = read_logs(address(self.folder / "tercet.sqlite"))
        for sent in self.sent:
            rows = logs.get(sent.table, [])
            written = [(row.client_id or "").partition(":")[2] for row in rows]
            if written != list(sent.requests):
                self.violation(sent, f"the log holds {written}, sent were {list(sent.requests)}")
                continue
            for row, (name, asked) in zip(rows, sent.requests.items(), strict=True):
                meant = asked.get("action", asked["ply"])
                held = row.data["action" if row.kind == "action" else "ply"]
                if sent.numbers.get(name) != row.number or held != meant:
                    self.violation(sent, f"{asked} acknowledged as {sent.numbers.get(name)} is event {row}")


def play_through_kills(
    folder: Path, games: int, seed: int = 0, at_once: int = 12, side: int = 4, power: bool = False
) -> KillReport:
    """Run it, with ``power`` cuts in the place of kills; nothing was lost or doubled if ``violations`` is empty and all
    games finished."""
    return asyncio.run(_Trial(folder, games, seed, at_once, side, power).run())
