"""Sockets that a network opens: whoever comes and goes without end is told to wait."""

from __future__ import annotations

import asyncio
from collections import Counter

from tercet.server.fair_share.spender import Spender
from tercet.server.http.errors import ApiError
from tercet.server.http.limits import Buckets

__all__ = ["VISIT", "Visits"]

VISIT = (
    0.004  # processor seconds that are charged for a table's socket and its snapshot: to measure each would cost more
)
PAUSE = 5.0  # seconds that whoever is refused is told to wait, at least
HOLD = 2.0  # seconds until he is told: who pays no heed to that comes seldom all the same
HELD = 100  # of a network who wait for that at once; the others are not told why


class Visits:
    """The sockets that networks open, no more than ``buckets`` have."""

    def __init__(self, buckets: Buckets) -> None:
        self._buckets = buckets
        self._held: Counter[str] = Counter()

    def refusal(self, who: Spender) -> ApiError | None:
        """Why ``who`` may not open a socket now, if so; else it is counted."""
        network = who.network or "unknown"
        if self._buckets.take(network):
            return None
        wait = max(PAUSE, self._buckets.wait(network))
        why = f"your network has opened too many connections; wait {wait:.0f} seconds"
        return ApiError("too-many", "network", why, retry=wait)

    async def hold(self, who: Spender) -> bool:
        """Have ``who`` is refused wait for the reason; False where too many of his network do."""
        network = who.network or "unknown"
        if self._held[network] >= HELD:
            return False
        self._held[network] += 1
        try:
            await asyncio.sleep(HOLD)
        finally:
            self._held[network] -= 1
            if not self._held[network]:
                del self._held[network]
        return True
