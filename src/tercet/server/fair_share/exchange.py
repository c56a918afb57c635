"""What the processes of a server tell each other of what was used in each, so that limits hold for all together."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from typing import Any

from tercet.server.cluster.pubsub import PubSub
from tercet.server.http.limits import Buckets

__all__ = ["Exchange"]

CHANNEL = "used"
EVERY = 1.0  # seconds
Used = Callable[[str, Sequence[float]], None]


class Exchange:
    """Tells the others once a second what was used here, by kind and key, and whoever counts a kind what was used
    there. Does nothing where no other process can hear."""

    def __init__(self) -> None:
        self._run = secrets.token_hex(6)
        self._counting: dict[str, Used] = {}
        self._news: dict[str, dict[str, list[float]]] = {}
        self._pubsub: PubSub | None = None

    def count(self, kind: str, used: Used) -> None:
        """Have ``used`` called with a key and amounts whenever some of this kind were used in another process."""
        self._counting[kind] = used

    def share(self, kind: str, buckets: Buckets) -> None:
        """Let what is taken from ``buckets`` be taken from those of the other processes too."""
        self.count(kind, lambda key, amounts: buckets.owe(key, amounts[0]))
        buckets.taken = lambda key: self.note(kind, key, (1.0,))

    def note(self, kind: str, key: str, amounts: Sequence[float]) -> None:
        """Somebody used so much here."""
        if self._pubsub is None:
            return
        known = self._news.setdefault(kind, {}).setdefault(key, [0.0] * len(amounts))
        for number, amount in enumerate(amounts):
            known[number] += amount

    async def begin(self, pubsub: PubSub) -> None:
        """Hear of the others from now on."""
        if pubsub.reaches_others:
            self._pubsub = pubsub
            await pubsub.subscribe(CHANNEL, self._hear)

    async def run(self) -> None:
        """Tell them, until cancelled."""
        while True:
            await asyncio.sleep(EVERY)
            await self.tell()

    async def tell(self) -> None:
        """Tell them now."""
        if self._pubsub is not None and self._news:
            news, self._news = self._news, {}
            await self._pubsub.publish(CHANNEL, {"run": self._run, "used": news})

    def _hear(self, data: dict[str, Any]) -> None:
        if data["run"] == self._run:
            return
        for kind, keys in data["used"].items():
            for key, amounts in keys.items():
                if kind in self._counting:
                    self._counting[kind](key, amounts)
