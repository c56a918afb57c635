"""Requests that are begun: one of a network in each turn of the event loop."""

from __future__ import annotations

import asyncio
from collections import deque

__all__ = ["Turns"]


class Turns:
    """Lets each network begin one request in a turn of the loop. However many requests one network sends at once, only
    one of them lies between any two things that are done for others. A loop that has nothing else to do turns at once,
    so that nothing is slowed down where nobody waits."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def take(self, network: str) -> None:
        """Wait for the turn of a request of ``network``: those of one network follow one another as they came."""
        loop = asyncio.get_running_loop()
        waiting = self._waiting.get(network)
        if waiting is None:
            self._waiting[network] = deque()
            loop.call_soon(self._next, network)
            return
        turn = loop.create_future()
        waiting.append(turn)
        await turn

    def _next(self, network: str) -> None:
        waiting = self._waiting[network]
        while waiting:
            turn = waiting.popleft()
            if not turn.done():  # else whoever asked is gone
                turn.set_result(None)
                asyncio.get_running_loop().call_soon(self._next, network)
                return
        del self._waiting[network]
