"""How much each person and each network has used of what is scarce, and how much that may be.

Four things are counted: seconds in which engines think, seconds of other computing, bytes of requests and answers, and
rows written to the database. What was used is forgotten at the rate that a budget allows for a minute, and the amount
of :data:`BURST_MINUTES` may be used at once. A network has :data:`NETWORK_FACTOR` times a person's budget.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tercet.server.errors import ApiError
from tercet.server.limits.bounded import Bounded
from tercet.server.limits.exchange import Exchange
from tercet.server.limits.limits import ServerLimits
from tercet.server.limits.spender import Spender
from tercet.server.metrics import OVER_BUDGET

RESOURCES = ("engine", "cpu", "bytes", "rows")
WORDS = {"engine": "engine time", "cpu": "computing time", "bytes": "traffic", "rows": "database writes"}
BURST_MINUTES = 5  # whose budget may be used at once
BURST_SECONDS = 60 * BURST_MINUTES
NETWORK_FACTOR = 4  # times a person's budget
MAX_REMEMBERED = 50_000  # persons and networks
KIND = "budget"


@dataclass
class _Used:
    """The use of a person or network at the time ``at``."""

    amounts: list[float]
    at: float


class Budgets:
    """The budgets of one process, which hears from the others of what is used there. ``now`` tells seconds."""

    def __init__(self, limits: ServerLimits, exchange: Exchange, now: Callable[[], float] = time.monotonic) -> None:
        a_minute = (
            limits.engine_seconds_per_minute,
            limits.cpu_seconds_per_minute,
            limits.bytes_per_minute,
            limits.rows_per_minute,
        )
        self._a_second = [None if amount is None else amount / 60 for amount in a_minute]
        self._exchange = exchange
        self._now = now
        self._used: Bounded[str, _Used] = Bounded(MAX_REMEMBERED)
        exchange.count(KIND, self._add)

    def spend(self, who: Spender, *, engine: float = 0, cpu: float = 0, size: int = 0, rows: int = 0) -> None:
        """Count what ``who`` has used: seconds of engines, seconds of other computing, bytes, rows."""
        amounts = (engine, cpu, size, rows)
        for key in who.keys:
            self._add(key, amounts)
            self._exchange.note(KIND, key, amounts)

    def _add(self, key: str, amounts: Sequence[float]) -> None:
        used = self._of(key)
        for number, amount in enumerate(amounts):
            used.amounts[number] += amount

    def _of(self, key: str) -> _Used:
        """What ``key`` has used as of now."""
        now, used = self._now(), self._used.recent(key)
        if used is None:
            used = self._used[key] = _Used([0.0] * len(RESOURCES), now)
            return used
        passed, used.at = now - used.at, now
        for number, size in enumerate(self._sizes(key)):
            used.amounts[number] = max(0.0, used.amounts[number] - passed * size / BURST_SECONDS) if size else 0.0
        return used

    def _sizes(self, key: str) -> list[float | None]:
        """Return the budgets of ``key``: how much of each resource it may use at once."""
        times = NETWORK_FACTOR if key.startswith("network ") else 1
        return [None if rate is None else BURST_SECONDS * rate * times for rate in self._a_second]

    def used(self, share: str) -> float:
        """Return the recent engine seconds of a ``share``."""
        network = share.removeprefix("guests of ")
        key = f"network {network}" if network != share else f"person {share}"
        return self._of(key).amounts[0] if key in self._used else 0.0

    def check(self, who: Spender, *resources: str) -> None:
        """Raise ApiError if ``who`` or their network has used up one of these."""
        for key in who.keys:
            if key not in self._used:
                continue
            used = self._of(key).amounts
            for resource, amount, size in zip(RESOURCES, used, self._sizes(key), strict=True):
                if resource in resources and size is not None and amount >= size:
                    raise self._over(key, resource, used, size)

    def _over(self, key: str, resource: str, used: Sequence[float], size: float) -> ApiError:
        of = key.partition(" ")[0]
        OVER_BUDGET.labels(resource, of).inc()
        number = RESOURCES.index(resource)
        # Until a twentieth of it is free again, so that the client can then do something.
        wait = max(1, math.ceil((used[number] - 0.95 * size) * BURST_SECONDS / size))
        whose = "You have used up your" if of == "person" else "Your network has used up its"
        why = f"{whose} share of {WORDS[resource]}. Wait {wait} seconds."
        return ApiError("too-many", of, why, retry=wait, used=self._told(used))

    @staticmethod
    def _told(used: Sequence[float]) -> dict[str, float]:
        return {name: round(used[number], 1) for number, name in enumerate(RESOURCES)}

    def pressure(self, most: int = 20) -> list[dict[str, Any]]:
        """Those who have used most of their budgets: ``{of, who, used, share}``, the greatest share (1: all of it)
        first."""
        found: list[dict[str, Any]] = []
        for key in list(self._used):
            used, (of, _, who) = self._of(key).amounts, key.partition(" ")
            sizes = zip(used, self._sizes(key), strict=True)
            share = max((amount / size for amount, size in sizes if size), default=0.0)
            if share > 0.001:
                found.append({"of": of, "who": who, "used": self._told(used), "share": round(share, 3)})
        found.sort(key=lambda one: (-one["share"], one["who"]))
        return found[:most]

    def greatest(self) -> dict[tuple[str, str], float]:
        """Return, by ``person`` or ``network`` and resource, the greatest used share of a budget."""
        found = {(of, resource): 0.0 for of in ("person", "network") for resource in RESOURCES}
        for key in list(self._used):
            of, used = key.partition(" ")[0], self._of(key).amounts
            for resource, amount, size in zip(RESOURCES, used, self._sizes(key), strict=True):
                if size:
                    found[of, resource] = max(found[of, resource], round(amount / size, 4))
        return found
