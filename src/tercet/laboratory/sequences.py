"""Intervals that hold at every moment, so that one may look after each game and stop when one likes.

A :class:`ConfidenceSequence` bounds the mean of values from 0 to 1 by betting against each possible mean (the hedged
capital process of Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2024). A mean is
ruled out when the bets against it have made 2 / alpha of the stake in one direction. For the true mean the chance that
this ever happens is at most alpha (Ville's inequality).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

__all__ = ["ConfidenceSequence", "e_bh"]

POINTS = 1001  # means that are bet against
MOST = 0.5  # the part of the stake that a bet may lose at most


class ConfidenceSequence:
    """An interval for the mean of values from ``low`` to ``high``, which holds it at all times with a chance of at
    least 1 - ``alpha``."""

    def __init__(self, alpha: float = 0.05, low: float = 0.0, high: float = 1.0) -> None:
        self.alpha, self.count = alpha, 0
        self._from, self._range = low, high - low
        self._means = np.linspace(0.0, 1.0, POINTS)
        self._up = np.zeros(POINTS)  # logarithms of what bets on a higher mean have made of the stake
        self._down = np.zeros(POINTS)
        self._in = np.ones(POINTS, dtype=bool)
        self._sum, self._squares = 0.5, 0.25

    def add(self, value: float) -> None:
        """Take one more value."""
        x = (value - self._from) / self._range
        if not -1e-9 <= x <= 1 + 1e-9:
            raise ValueError(f"{value} is not between {self._from} and {self._from + self._range}")
        t = self.count + 1
        spread = self._squares / t  # of the values before, so that the bet does not know this one
        bet = math.sqrt(2 * math.log(2 / self.alpha) / (spread * t * math.log(t + 1)))
        with np.errstate(divide="ignore"):
            up = np.minimum(bet, MOST / self._means)
            down = np.minimum(bet, MOST / (1 - self._means))
        self._up += np.log1p(up * (x - self._means))
        self._down += np.log1p(-down * (x - self._means))
        self.count = t
        self._sum += x
        self._squares += (x - self._sum / (t + 1)) ** 2
        self._in &= np.maximum(self._up, self._down) < math.log(2 / self.alpha)

    @property
    def interval(self) -> tuple[float, float]:
        """The interval now: never wider than before."""
        held = np.flatnonzero(self._in)
        if not len(held):  # the values are no sample of one mean
            return math.nan, math.nan
        least, most = max(0, int(held[0]) - 1), min(POINTS - 1, int(held[-1]) + 1)
        return self._from + self._range * float(self._means[least]), self._from + self._range * float(self._means[most])

    def evidence(self, mean: float) -> float:
        """Return the e-value against ``mean``: what a stake of 1 has become. Its expectation is at most 1 if the
        mean is true."""
        at = round((mean - self._from) / self._range * (POINTS - 1))
        return float((math.exp(min(700.0, self._up[at])) + math.exp(min(700.0, self._down[at]))) / 2)


def e_bh(evidence: Mapping[str, float], alpha: float = 0.05) -> set[str]:
    """Return which of several hypotheses are rejected, so that at most a part ``alpha`` of the rejected is true on the
    mean, however they depend on each other (Wang and Ramdas, 2022)."""
    ranked: Sequence[tuple[str, float]] = sorted(evidence.items(), key=lambda one: -one[1])
    most = 0
    for rank, (_, value) in enumerate(ranked, 1):
        if value >= len(ranked) / (alpha * rank):
            most = rank
    return {name for name, _ in ranked[:most]}
