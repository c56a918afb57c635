"""Devices of players that think for engines: rightly, late, never, illegally, or twice."""

from __future__ import annotations

import asyncio
import json
import random
from typing import TYPE_CHECKING, Any

import tercet
from tercet.core.game import Position
from tests.simulation.network import Socket

if TYPE_CHECKING:
    from tests.simulation.scene import Scene

WAYS = ("right", "right", "right", "late", "never", "illegal", "none", "twice", "stale", "withdrawn")


def engine_choice(seed: int, position: Position) -> str:
    """Return the action that every engine of a world chooses."""
    return str(random.Random(f"{seed} {position}").choice(list(position.legal_actions)))


class Device:
    """The device of one client. ``may_think`` says whether the server may ask it."""

    def __init__(self, scene: Scene, name: str, may_think: bool) -> None:
        self.scene = scene
        self.name = name
        self.may_think = may_think
        self.random = scene.world.random(f"device {name}")

    def offer(self, socket: Socket) -> None:
        self._say(socket, {"type": "thinker", "can": True})

    def think(self, socket: Socket, asked: dict[str, Any]) -> None:
        """Answer, in one way or another. Only right answers are what the engine chooses: no other may be played."""
        if not self.may_think:
            self.scene.violation(f"{self.name} was asked to think: {asked}")
        position, number = tercet.parse(asked["position"]), asked["n"]
        right = engine_choice(self.scene.world.seed, position)
        wrong = next((str(one) for one in position.legal_actions if str(one) != right), right)
        way = "right" if self.scene.quiet else self.random.choice(WAYS)
        self.scene.count(f"thoughts of devices: {way}")
        soon = self.random.choice((0.01, self.random.uniform(0.0, 1.5)))
        if way == "late":
            self._answer(socket, 6.5, number, wrong)
        elif way == "illegal":
            self._answer(socket, soon, number, "nowhere")
        elif way == "none":
            self._answer(socket, soon, number, None)
        elif way == "withdrawn":
            self._later(socket, soon, {"type": "thinker", "can": False})
            self._answer(socket, soon + 0.5, number, wrong)
        elif way != "never":
            if way == "stale":
                self._answer(socket, soon, number - 1, wrong)
            self._answer(socket, soon + 0.01, number, right)
            if way == "twice":
                self._answer(socket, soon + 0.5, number, wrong)
        if way in ("late", "illegal", "none", "withdrawn"):
            self._later(socket, 7.0, {"type": "thinker", "can": True})

    def _answer(self, socket: Socket, seconds: float, number: int, action: str | None) -> None:
        self._later(socket, seconds, {"type": "thought", "n": number, "action": action})

    def _later(self, socket: Socket, seconds: float, message: dict[str, Any]) -> None:
        asyncio.get_running_loop().call_later(seconds, self._say, socket, message)

    @staticmethod
    def _say(socket: Socket, message: dict[str, Any]) -> None:
        if not socket.lost:
            socket.say(json.dumps(message))
