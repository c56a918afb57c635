"""Rates: how often something may be done in a minute, by buckets of tokens that fill again."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterator

from tercet.server.errors import ApiError
from tercet.server.limits.bounded import Bounded
from tercet.server.limits.spender import Spender

# Processor seconds that are charged for a table's socket and its snapshot: to measure each would cost more.
VISIT = 0.004
MAX_REMEMBERED = 10_000
MIN_PAUSE_SECONDS = 5.0  # that a refused client is asked to wait
HOLD_SECONDS = 2.0  # before the refusal, so that clients that ignore it return less often
MAX_HELD = 100  # sockets of a network that are held at once; the others get no reason


@contextlib.contextmanager
def counted(counter: Counter[str], key: str) -> Iterator[None]:
    """Count ``key`` as long as this lasts."""
    counter[key] += 1
    try:
        yield
    finally:
        counter[key] -= 1
        if not counter[key]:
            del counter[key]


class Bucket:
    """Tokens that fill at ``rate`` a second up to ``size``."""

    __slots__ = ("_at", "_left", "_rate", "_size")

    def __init__(self, rate: float, size: float) -> None:
        self._rate = rate
        self._size = self._left = size
        self._at = time.monotonic()

    def take(self, tokens: float = 1) -> bool:
        """Take ``tokens`` if there are enough."""
        now = time.monotonic()
        self._left = min(self._size, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < tokens:
            return False
        self._left -= tokens
        return True

    def owe(self, tokens: float) -> None:
        """Remove tokens that another process has taken."""
        self._left = max(-self._size, self._left - tokens)

    @property
    def wait(self) -> float:
        """Return in how many seconds there is a token."""
        return max(0.0, (1 - self._left) / self._rate)


class Buckets:
    """A bucket for each address, of so many a minute, or as many at once as ``size`` says; the latest
    :data:`MAX_REMEMBERED` addresses are remembered. ``taken`` gets each use."""

    def __init__(self, per_minute: float | None, size: float | None = None) -> None:
        self._per_minute = per_minute
        self._size = per_minute if size is None else size
        self._buckets: Bounded[str, Bucket] = Bounded(MAX_REMEMBERED)
        self.taken: Callable[[str], None] = lambda _: None

    @classmethod
    def hourly(cls, most: int | None) -> Buckets:
        """Return buckets of so many an hour (None: any number)."""
        return cls(None if most is None else most / 60, most)

    def take(self, address: str) -> bool:
        """Whether ``address`` may once more."""
        if self._per_minute is None or self._size is None:
            return True
        taken = self._bucket(address, self._per_minute, self._size).take()
        if taken:
            self.taken(address)
        return taken

    def check(self, where: str, why: str, *addresses: str) -> None:
        """Raise ApiError, with this place and sentence, unless each of ``addresses`` may once more."""
        if not all(self.take(address) for address in addresses):
            raise ApiError("too-many", where, why, retry=max(self.wait(address) for address in addresses))

    def wait(self, address: str) -> float:
        """In how many seconds ``address`` may once more."""
        bucket = self._buckets.get(address)
        return 0.0 if bucket is None else bucket.wait

    def owe(self, address: str, tokens: float) -> None:
        """``address`` was served so often by another process."""
        if self._per_minute is not None and self._size is not None:
            self._bucket(address, self._per_minute, self._size).owe(tokens)

    def _bucket(self, address: str, per_minute: float, size: float) -> Bucket:
        bucket = self._buckets.recent(address)
        if bucket is None:
            bucket = self._buckets[address] = Bucket(per_minute / 60, size)
        return bucket


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
        with counted(self._held, network):
            await asyncio.sleep(HOLD_SECONDS)
        return True
