"""Clients of the failure trial: each plays a seat, or watches, over connections that break, and notes what is wrong."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from .processes import CONNECTION_LOST, ServerProcess

TURN = 10  # seconds a turn: more than a player needs, less than what processes are away
SILENCE = 4.0  # seconds after which a client leaves a silent server for another one
# What a message that came too late may be refused for.
TOO_LATE = ("stale-ply", "not-your-turn", "over", "not-possible", "unavailable")


def clock() -> str:
    """Now, in seconds of this hour with three decimals: enough to read a trial."""
    return f"{time.time() % 3600:.3f}"


@dataclass
class FailureReport:
    games: int = 0
    finished: int = 0
    acknowledged: Counter[str] = field(default_factory=Counter)  # by type of message
    refused: int = 0
    resent: int = 0
    doubled: int = 0
    cuts: int = 0
    kills: int = 0
    stops: int = 0
    suspensions: int = 0
    partitions: int = 0
    redis: int = 0
    sectors: int = 0  # that power cuts and failed syncs lost
    failed_syncs: int = 0
    flags: int = 0
    slow: int = 0  # flags of players who were told in time, on a machine that did not let them answer
    given_back: int = 0
    engine_moves: int = 0
    interrupted: int = 0
    seconds: float = 0.0
    restarts_s: list[float] = field(default_factory=list)
    back_s: list[float] = field(default_factory=list)  # from a client's loss of its connection to the state of the game
    acks_s: list[float] = field(default_factory=list)  # from an action's first sending to its acknowledgement
    violations: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)  # what was done to which server, and when

    def note_fault(self, what: str) -> None:
        self.faults.append(f"{clock()} {what}")

    @property
    def progress(self) -> int:
        return self.acknowledged.total()


@dataclass
class Game:
    """A table and what its clients know of it."""

    number: int
    kind: tuple[str, dict[str, Any], int]
    sleeper: int | None
    long: int  # the number of actions after which its players give up
    id: str = ""
    players: list[Player] = field(default_factory=list)


@dataclass(eq=False)
class Player:
    """Who holds one seat of a game, or, with None, watches."""

    servers: Sequence[ServerProcess]
    report: FailureReport
    game: Game
    seat: int | None
    token: str | None
    rng: random.Random
    state: dict[str, Any] = field(default_factory=dict)
    told: list[dict[str, Any]] = field(default_factory=list)  # all states that it was told of, without the board
    moves: list[str] = field(default_factory=list)
    requests: dict[str, dict[str, Any]] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    open: dict[str, Any] | None = None
    first_sent: float = 0.0
    lost: float = 0.0
    lately: deque[str] = field(default_factory=lambda: deque(maxlen=60))  # what it did and saw
    due: float | None = None  # since when it has known, over one connection, that it is its turn
    slow: set[int] = field(default_factory=set)  # flags of its own that fell though it had known for half of its time

    def note(self, what: str) -> None:
        self.lately.append(f"{clock()} {what}")

    def violation(self, why: str) -> None:
        self.report.violations.append(f"game {self.game.number} ({self.game.id}), seat {self.seat}: {why}")

    @property
    def is_over(self) -> bool:
        return bool(self.state) and bool(self.state["over"])

    async def play(self) -> None:
        """Until it has heard that the game is over, through however many connections."""
        choice = self.rng.randrange(len(self.servers))
        while not self.is_over:
            server = self.servers[choice % len(self.servers)]
            choice += 1  # when this one is gone, the next
            query = [f"seat={self.token}"] if self.token else []
            if self.state and self.rng.random() < 0.7:
                query.append(f"since={self.state['number']}")
            self.note(f"connects to {server.base}")
            where = f"ws://{server.base}/api/tables/{self.game.id}/live?{'&'.join(query)}"
            try:
                async with connect(where, max_size=None, open_timeout=5, close_timeout=0.2) as wire:
                    await self.follow(wire)
            except CONNECTION_LOST as error:
                self.note(f"loses its connection: {error!r:.80}")
            if not self.is_over:
                self.lost = self.lost or time.monotonic()
                await asyncio.sleep(0.05)

    async def follow(self, wire: ClientConnection) -> None:
        """Play over one connection, until the game is over or the connection is gone."""
        self.due = None
        self.take(json.loads(await asyncio.wait_for(wire.recv(), SILENCE)))
        if self.lost:
            self.report.back_s.append(time.monotonic() - self.lost)
            self.lost = 0.0
        if self.open is not None:
            self.report.resent += 1
            await self.send(wire, self.open)
        pinged = False
        self.due = time.monotonic() if self.state["mover"] == self.seat else None
        while not self.is_over:
            if self.open is None:
                message = self.next_message()
                if message is not None:
                    self.open = message
                    self.requests[message["id"]] = message
                    self.first_sent = time.monotonic()
                    if self.rng.random() < 0.05:
                        await asyncio.sleep(self.rng.uniform(0.0, 0.5))  # on a slow line
                    await self.send(wire, message)
            if self.rng.random() < 0.01:
                self.report.cuts += 1
                wire.transport.abort()
            try:
                heard = json.loads(await asyncio.wait_for(wire.recv(), SILENCE / 2))
                pinged = False
            except TimeoutError:
                if pinged:
                    return
                pinged = True
                await wire.send('{"type":"ping"}')
                continue
            self.take(heard)

    async def send(self, wire: ClientConnection, message: dict[str, Any]) -> None:
        """Send, now and then twice, now and then after something that was acknowledged long ago."""
        if self.numbers and self.rng.random() < 0.05:
            self.report.doubled += 1
            await wire.send(json.dumps(self.requests[self.rng.choice(list(self.numbers))]))
        self.note(f"sends {message}")
        await wire.send(json.dumps(message))
        if self.rng.random() < 0.05:
            self.report.doubled += 1
            await wire.send(json.dumps(message))

    def next_message(self) -> dict[str, Any] | None:
        """What to ask now, if anything: an answer, an action, now and then a takeback; in the end to give up."""
        state, seat = self.state, self.seat
        if seat is None:
            return None
        name = f"{seat}.{len(self.requests)}"
        known = {"number": state["number"]}  # so that no process that has heard less judges it
        for offer in state["offers"]:
            if seat in offer["awaited"]:
                return {"type": "answer", "id": name, "what": offer["what"], "yes": self.rng.random() < 0.7, **known}
        if state["mover"] != seat:
            return None
        if self.game.sleeper == seat and state["ply"] >= 6:
            return None
        if state["ply"] >= self.game.long:
            return {"type": "resign", "id": name, "seat": seat}
        mine_open = any(offer["seat"] == seat for offer in state["offers"])
        if state["ply"] > 4 and not mine_open and self.rng.random() < 0.04:
            return {"type": "takeback", "id": name, "at": state["ply"], **known}
        paths = state["view"]["paths"]
        if not paths:  # of several events that come together only the last has them
            return None
        return {"type": "act", "id": name, "ply": state["ply"], "action": self.rng.choice(paths)[0], **known}

    def take(self, heard: dict[str, Any]) -> None:
        """Learn from a message."""
        kind = heard["type"]
        details = [f"{key}={heard[key]!s:.80}" for key in ("number", "kind", "id", "code", "why") if key in heard]
        self.note(" ".join([kind, *details]))
        if "state" in heard:
            self.told.append({**heard["state"], "view": {"position": heard["state"]["view"]["position"]}})
        if kind == "snapshot":
            self.state = heard["state"]
            self.moves = [move["text"] for move in self.state["moves"]]
        elif kind == "event":
            expected = self.state["number"] + 1 if self.state else heard["number"]
            if heard["number"] != expected:
                self.violation(f"event {heard['number']} came after {expected - 1}")
            self.state = heard["state"]
            knew = None if self.due is None else time.monotonic() - self.due
            if heard["kind"] == "flag" and heard["seat"] == self.seat and knew is not None and knew > TURN / 2:
                self.slow.add(heard["number"])
            if self.state["mover"] != self.seat:
                self.due = None
            elif heard["kind"] == "action" or self.due is None:
                self.due = time.monotonic()
            if heard["kind"] == "action":
                self.moves.append(heard["action"])
            elif heard["kind"] == "takeback":
                del self.moves[heard["ply"] :]
            if len(self.moves) != self.state["ply"]:
                told = f"{len(self.moves)} actions were told at event {heard['number']}"
                self.violation(f"{told}, not {self.state['ply']}")
        elif kind == "ack":
            before = self.numbers.setdefault(heard["id"], heard["number"])
            if before != heard["number"]:
                self.violation(f"{heard['id']} was acknowledged as {before}, and then as {heard['number']}")
            if heard["id"] in self.refused:
                self.violation(f"{heard['id']} was refused ({self.refused[heard['id']]}), and then acknowledged")
            if self.open is not None and heard["id"] == self.open["id"]:
                self.report.acknowledged[self.open["type"]] += 1
                self.report.acks_s.append(time.monotonic() - self.first_sent)
                self.open = None
        elif kind == "error" and "id" in heard:
            self.take_refusal(heard)

    def take_refusal(self, heard: dict[str, Any]) -> None:
        """A message of ours was refused, or is to be sent again."""
        name = heard["id"]
        if heard["code"] == "unavailable" and heard["where"] in ("server", "database"):
            raise EOFError  # connect again, send again
        if name in self.numbers:
            self.violation(f"{name} was acknowledged as {self.numbers[name]}, and then refused: {heard}")
        if heard["code"] not in TOO_LATE:
            self.violation(f"{self.requests[name]} was refused: {heard}")
        self.refused[name] = heard["code"]
        self.report.refused += 1
        if self.open is not None and name == self.open["id"]:
            self.open = None
