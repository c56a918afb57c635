"""Limits on the sockets that a network opens: a client that reconnects without end has to wait."""

from __future__ import annotations

import asyncio
from collections import Counter

from tercet.server.errors import ApiError
from tercet.server.limits.limits import Buckets
from tercet.server.limits.spender import Spender

__all__ = ["VISIT", "Visits"]

VISIT = (
    0.004  # processor seconds that are charged for a table's socket and its snapshot: to measure each would cost more
)
MIN_PAUSE_SECONDS = 5.0  # that a refused client is asked to wait
HOLD_SECONDS = 2.0  # before the refusal, so that clients that ignore it return less often
MAX_HELD = 100  # sockets of a network that are held at once; the others get no reason


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
        wait = max(MIN_PAUSE_SECONDS, self._buckets.wait(network))
        why = f"Your network has opened too many connections. Wait {wait:.0f} seconds."
        return ApiError("too-many", "network", why, retry=wait)

    async def hold(self, who: Spender) -> bool:
        """Let the refused client ``who`` wait for the reason; return False if its network has too many waiting."""
        network = who.network or "unknown"
        if self._held[network] >= MAX_HELD:
            return False
        self._held[network] += 1
        try:
            await asyncio.sleep(HOLD_SECONDS)
        finally:
            self._held[network] -= 1
            if not self._held[network]:
                del self._held[network]
        return True
