"""What a network may begin in one turn of the event loop: a request, or reading from its connections."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable


class Turns:
    """Lets each network begin ``each`` things in a turn of the event loop.

    However much one network sends at once, only so much of it lies between any two things that the loop does for
    others. A loop that has nothing else to do turns at once, so a lone network loses no time."""

    def __init__(self, each: int = 1) -> None:
        self._each = each
        self._begun: dict[str, float] = {}  # in this turn
        self._waiting: dict[str, deque[Callable[[], bool]]] = {}

    def enter(self, network: str) -> bool:
        """Return whether ``network`` may begin one more thing in this turn; it is counted then."""
        begun = self._begun.get(network)
        if begun is None:
            self._begun[network] = 1
            asyncio.get_running_loop().call_soon(self._next, network)
            return True
        if begun >= self._each or network in self._waiting:
            return False
        self._begun[network] = begun + 1
        return True

    def use(self, network: str, things: float) -> None:
        """What ``network`` has begun in this turn is as much work as so many ``things`` more."""
        if network in self._begun:
            self._begun[network] += things

    def call(self, network: str, work: Callable[[], bool]) -> None:
        """Call ``work`` when it is its turn, after what ``network`` asked for before. ``work`` returns whether there
        was still something to do."""
        if network not in self._begun:
            self._begun[network] = self._each
            asyncio.get_running_loop().call_soon(self._next, network)
        self._waiting.setdefault(network, deque()).append(work)

    async def take(self, network: str) -> None:
        """Wait for the turn of one thing of ``network``."""
        if self.enter(network):
            return
        turn = asyncio.get_running_loop().create_future()

        def begin() -> bool:
            if turn.done():  # the task that waited was cancelled
                return False
            turn.set_result(None)
            return True

        self.call(network, begin)
        await turn

    def _next(self, network: str) -> None:
        """Begin what waits, as one turn of ``network``."""
        waiting = self._waiting.get(network)
        self._begun[network] = 0
        for _ in range(len(waiting or ())):  # what is added meanwhile has its turn later
            assert waiting is not None
            did = waiting.popleft()()  # which may `use` more of the turn
            self._begun[network] += did
            if self._begun[network] >= self._each:
                break
        if waiting is not None and not waiting:
            del self._waiting[network]
        if self._begun[network] or network in self._waiting:
            asyncio.get_running_loop().call_soon(self._next, network)
        else:
            del self._begun[network]
