"""What the processes of a server tell each other of what was used in each, so that limits hold for all together."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tercet.server.errors import repeat
from tercet.server.limits.rates import Buckets
from tercet.server.processes.pubsub import PubSub

CHANNEL = "used"
EXCHANGE_SECONDS = 1.0  # between two messages to the other processes
BELIEVED_SECONDS = 5.0  # that what another process has now is believed, where it says nothing more
UNSHARED_COUNT = 10  # up to which other processes learn nothing: nearly all clients have a few
Used = Callable[[str, Sequence[float]], None]


class Exchange:
    """Sends the other processes, once a second, the use here by kind and key, and passes theirs to the counters of
    each kind; likewise the present numbers of each client, such as open sockets. Alone it does nothing."""

    def __init__(self) -> None:
        self._process_id = secrets.token_hex(6)
        self._counting: dict[str, Used] = {}
        self._news: dict[str, dict[str, list[float]]] = {}
        self._pubsub: PubSub | None = None
        self._levels: dict[str, Mapping[str, int]] = {}
        # By process: when it was received, and what.
        self._elsewhere: dict[str, tuple[float, dict[str, dict[str, int]]]] = {}
        self._told_levels = False

    def show(self, kind: str, now: Mapping[str, int]) -> None:
        """Send the other processes the values of this changing mapping that are above :data:`UNSHARED_COUNT`."""
        self._levels[kind] = now

    def elsewhere(self, kind: str, key: str) -> int:
        """Return how many of this kind ``key`` has in the other processes, by their latest messages."""
        if not self._elsewhere:
            return 0
        since = time.monotonic() - BELIEVED_SECONDS
        return sum(levels.get(kind, {}).get(key, 0) for at, levels in self._elsewhere.values() if at > since)

    def count(self, kind: str, used: Used) -> None:
        """Have ``used`` called with a key and amounts whenever some of this kind were used in another process."""
        self._counting[kind] = used

    def share(self, kind: str, buckets: Buckets) -> None:
        """Let what is taken from ``buckets`` be taken from those of the other processes too."""
        self.count(kind, lambda key, amounts: buckets.owe(key, amounts[0]))
        buckets.taken = lambda key: self.note(kind, key, (1.0,))

    def note(self, kind: str, key: str, amounts: Sequence[float]) -> None:
        """Note a use in this process."""
        if self._pubsub is None:
            return
        known = self._news.setdefault(kind, {}).setdefault(key, [0.0] * len(amounts))
        for number, amount in enumerate(amounts):
            known[number] += amount

    async def begin(self, pubsub: PubSub) -> None:
        """Listen to the other processes from now on."""
        if pubsub.reaches_others:
            self._pubsub = pubsub
            await pubsub.subscribe(CHANNEL, self._hear)

    async def run(self) -> None:
        """Publish this process's uses regularly, until cancelled."""
        await repeat("tell the other processes what was used", self.tell, EXCHANGE_SECONDS)

    async def tell(self) -> None:
        """Publish this process's uses now. What could not be published is published the next time."""
        if self._pubsub is None:
            return
        levels = {kind: {key: n for key, n in now.items() if n > UNSHARED_COUNT} for kind, now in self._levels.items()}
        has_levels = any(levels.values())
        if self._news or has_levels or self._told_levels:
            news, self._news = self._news, {}
            try:
                await self._pubsub.publish(CHANNEL, {"run": self._process_id, "used": news, "now": levels})
            except BaseException:
                for kind, keys in news.items():
                    for key, amounts in keys.items():
                        self.note(kind, key, amounts)
                raise
            self._told_levels = has_levels

    def _hear(self, data: dict[str, Any]) -> None:
        if data["run"] == self._process_id:
            return
        self._note_levels(data["run"], data.get("now", {}))
        for kind, keys in data["used"].items():
            for key, amounts in keys.items():
                if kind in self._counting:
                    self._counting[kind](key, amounts)

    def _note_levels(self, process_id: str, levels: dict[str, dict[str, int]]) -> None:
        now = time.monotonic()
        self._elsewhere = {known: one for known, one in self._elsewhere.items() if one[0] > now - BELIEVED_SECONDS}
        if any(levels.values()):
            self._elsewhere[process_id] = now, levels
        else:
            self._elsewhere.pop(process_id, None)
