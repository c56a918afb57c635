"""Glicko-2 for two players (Glickman, "Example of the Glicko-2 system", 2012), a game at a time.

A rating period is a fraction of time, not a number of games: a deviation grows with the days without
play, and shrinks with each game.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

SCALE = 173.7178  # of Glickman's inner numbers: 400 / ln 10
CENTRE = 1500.0
TAU = 0.5  # how much a volatility may change; Glickman: 0.3 to 1.2
MAX_DEVIATION = 350.0  # that of a new player; it never grows beyond
PERIODS_A_DAY = 0.2144  # a deviation of 60 becomes 110 in a year of not playing
PROVISIONAL_DEVIATION = 110.0  # above it a rating is provisional
TOLERANCE = 1e-9  # of the volatility


@dataclass(frozen=True)
class Glicko:
    """A player's strength: a ``rating`` (400 more: ten times as likely to win as to lose), its standard
    ``deviation`` and the ``volatility``, by which the deviation grows in a period without games."""

    rating: float = CENTRE
    deviation: float = MAX_DEVIATION
    volatility: float = 0.06

    @property
    def low(self) -> float:
        """Return the lower end of the interval in which the strength lies with a probability of 95 %."""
        return self.rating - 1.96 * self.deviation

    @property
    def high(self) -> float:
        """Return the upper end of that interval."""
        return self.rating + 1.96 * self.deviation

    @property
    def is_provisional(self) -> bool:
        """Return whether the rating is too uncertain yet to be ranked."""
        return self.deviation > PROVISIONAL_DEVIATION

    def data(self) -> dict[str, float]:
        """Return JSON-able data, which :meth:`read` reads."""
        return {"rating": self.rating, "deviation": self.deviation, "volatility": self.volatility}

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Glicko:
        """Return the rating that :meth:`data` wrote."""
        return cls(float(data["rating"]), float(data["deviation"]), float(data["volatility"]))

    def idle(self, periods: float) -> Glicko:
        """After so many rating periods without a game (Glickman's step 6)."""
        grown = math.hypot(self.deviation, SCALE * self.volatility * math.sqrt(max(0.0, periods)))
        return replace(self, deviation=min(MAX_DEVIATION, grown))

    def after(self, games: Iterable[tuple[Glicko, float]], periods: float = 1.0) -> Glicko:
        """After ``games`` (against whom, with the score 1, 0.5 or 0) of one rating period, or a part of one: Glickman's
        steps 2 to 8."""
        mu, phi = (self.rating - CENTRE) / SCALE, self.deviation / SCALE
        information = gain = 0.0
        for other, score in games:
            weight = 1 / math.sqrt(1 + 3 * (other.deviation / SCALE / math.pi) ** 2)
            expected = 1 / (1 + math.exp(-weight * (mu - (other.rating - CENTRE) / SCALE)))
            information += weight**2 * expected * (1 - expected)
            gain += weight * (score - expected)
        if information == 0:
            return self.idle(periods)
        volatility = _volatility(self.volatility, phi, 1 / information, gain / information)
        before = min(MAX_DEVIATION / SCALE, math.hypot(phi, volatility * math.sqrt(periods)))
        phi = 1 / math.sqrt(1 / before**2 + information)
        return Glicko(CENTRE + SCALE * (mu + phi**2 * gain), SCALE * phi, volatility)


def _volatility(sigma: float, phi: float, v: float, delta: float) -> float:
    """Glickman's step 5, by the Illinois algorithm; ``v`` and ``delta`` are as there."""
    a = math.log(sigma**2)

    def f(x: float) -> float:
        spread = phi**2 + v + math.exp(x)
        return math.exp(x) * (delta**2 - spread) / (2 * spread**2) - (x - a) / TAU**2

    left = a
    if delta**2 > phi**2 + v:
        right = math.log(delta**2 - phi**2 - v)
    else:
        step = 1
        while f(a - step * TAU) < 0:
            step += 1
        right = a - step * TAU
    at_left, at_right = f(left), f(right)
    while abs(right - left) > TOLERANCE:
        middle = left + (left - right) * at_left / (at_right - at_left)
        at_middle = f(middle)
        if at_middle * at_right <= 0:
            left, at_left = right, at_right
        else:
            at_left /= 2
        right, at_right = middle, at_middle
    return math.exp(left / 2)


def rate_two(first: Glicko, second: Glicko, score: float, days: tuple[float, float]) -> tuple[Glicko, Glicko]:
    """Both after a game in which ``first`` scored 1, 0.5 or 0, so many ``days`` after each one's last game."""
    periods = tuple(PERIODS_A_DAY * max(0.0, one) for one in days)
    now = (first.idle(periods[0]), second.idle(periods[1]))
    return first.after([(now[1], score)], periods[0]), second.after([(now[0], 1 - score)], periods[1])
