"""What carries word between the processes of the world, in place of Redis: late, and lost while it is away."""

from __future__ import annotations

from typing import Any

from tercet.server.store.pubsub import PubSub
from tests.simulation.loop import VirtualLoop, World

LOST = 0.01  # of the events at tables, of which another process does not hear


class Bus:
    """It reaches all processes that are alive."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.random = world.random("bus")
        self.losses = world.random("losses of the bus")
        self.away_until = 0.0
        self.members: dict[VirtualLoop, _Member] = {}
        self.lost = 0

    def connect(self) -> _Member:
        loop = self.world.current
        assert loop is not None
        made = self.members[loop] = _Member(self, loop)
        return made

    def forget(self, loop: VirtualLoop) -> None:
        self.members.pop(loop, None)

    def go_away(self, seconds: float) -> None:
        """Carry nothing for so long; then say that word may have been lost."""
        self.away_until = max(self.away_until, self.world.now + seconds)
        self.world.after(seconds + self.random.uniform(0.0, 2.0), self._return)

    def _return(self) -> None:
        if self.world.now >= self.away_until:
            for loop, member in self.members.items():
                for told in member.returned:
                    loop.call_soon(told)


class _Member(PubSub):
    """The end of the bus in one process."""

    reaches_others = True

    def __init__(self, bus: Bus, loop: VirtualLoop) -> None:
        super().__init__()
        self._bus = bus
        self._loop = loop
        self._arrives: dict[VirtualLoop, float] = {}

    async def publish(self, channel: str, data: dict[str, Any]) -> None:
        """Say ``data`` to all who listen to ``channel``. Now and then others do not hear of events, as if too much had
        waited to be said: they are in the log."""
        self._deliver(channel, data)
        bus, world = self._bus, self._bus.world
        if not self._loop.alive:
            return
        for loop, other in bus.members.items():
            if loop is self._loop:
                continue
            if world.now < bus.away_until or ("events" in data and bus.losses.random() < LOST):
                bus.lost += 1
                continue
            delay = bus.random.uniform(2e-4, 5e-3) if bus.random.random() < 0.95 else bus.random.uniform(5e-3, 0.4)
            when = self._arrives[loop] = max(self._arrives.get(loop, 0.0), world.now + delay)
            world.at(when, lambda other=other: other.arrive(channel, data))  # type: ignore[misc]

    def arrive(self, channel: str, data: dict[str, Any]) -> None:
        if self._loop in self._bus.members and self._bus.world.now >= self._bus.away_until:
            self._loop.call_soon(self._deliver, channel, data)

    async def answers(self) -> bool:
        return self._bus.world.now >= self._bus.away_until
