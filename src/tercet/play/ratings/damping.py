"""Rate a finished game by Glicko-2 or Plackett-Luce, damped by how much the game says.

A rating that was gained from throw-away accounts says little. So the change is damped twice: by how well each opponent
is known, and by how often the two have met recently. The deviation shrinks faster than the rating moves (by the root of
the weight), so that honest newcomers are settled nearly as soon as without damping: ``tests/play/test_damping.py``
simulates both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tercet.play.ratings.glicko import PERIODS_A_DAY, PROVISIONAL_DEVIATION, Glicko, rate_two
from tercet.play.ratings.plackett import Effect, PlayerStrength, rate_many

Rating = Glicko | PlayerStrength


def read_rating(values: Mapping[str, Any]) -> Rating:
    """Return the rating of either kind that ``rating.data()`` wrote."""
    return Glicko.read(values) if "deviation" in values else PlayerStrength.read(values)


def shown(rating: Rating, days: float) -> dict[str, Any]:
    """Return a rating as JSON-able data, ``days`` after the last game: ``rating``, the interval ``low`` to ``high`` in
    which the strength lies with a probability of 95 % (it widens with time), and whether it is ``provisional``."""
    rating = rating.idle(PERIODS_A_DAY * days) if isinstance(rating, Glicko) else rating.idle(days)
    return {
        "rating": round(rating.rating),
        "low": round(rating.low),
        "high": round(rating.high),
        "provisional": rating.is_provisional,
    }


PERIOD = 30  # days in which games of the same two people count less each time


def rate_game(
    before: Sequence[Rating],
    scores: Sequence[float],
    days: Sequence[float],
    met: Mapping[tuple[int, int], int],
    effects: Sequence[Effect] = (),
) -> tuple[list[Rating], list[Effect]]:
    """Return the players' ratings, and what the seats are worth, after a game in which the seats had these ``scores``,
    so many ``days`` after each player's last game. ``met`` says how often each two seats (the lower first) met in the
    :data:`PERIOD` before; ``effects`` are those of the seats, where there are more than two."""
    now = [_idle(rating, idle) for rating, idle in zip(before, days, strict=True)]
    weights = [_weight(now, seat, met) for seat in range(len(now))]
    first, second = before[0], before[1]
    after: list[Rating]
    if isinstance(first, Glicko) and isinstance(second, Glicko):
        score = 0.5 if scores[0] == scores[1] else float(scores[0] > scores[1])
        after, learnt = list(rate_two(first, second, score, (days[0], days[1]))), list(effects)
    else:
        strengths = [rating for rating in before if isinstance(rating, PlayerStrength)]
        rated, learnt = rate_many(strengths, effects, scores, days)
        after = list(rated)
        weight = sum(weights) / len(weights)
        learnt = [
            Effect(one.mean + weight * (other.mean - one.mean), one.sigma + weight * (other.sigma - one.sigma))
            for one, other in zip(effects, learnt, strict=True)
        ]
    return [damped(*one) for one in zip(now, after, weights, strict=True)], learnt


def _weight(ratings: Sequence[Rating], seat: int, met: Mapping[tuple[int, int], int]) -> float:
    """Return how much the game counts for ``seat``, from 0 to 1: against each opponent by how well they are known, and
    in their ``n``-th game by 2 of ``n + 1``."""
    others = [other for other in range(len(ratings)) if other != seat]
    times = [met.get((min(seat, other), max(seat, other)), 0) + 1 for other in others]
    return sum(trust(ratings[other]) * 2 / (n + 1) for other, n in zip(others, times, strict=True)) / len(others)


def trust(opponent: Rating) -> float:
    """Return how much a result against ``opponent`` says, from 0 to 1: all of it where their rating is not provisional,
    a tenth where they are new."""
    return min(1.0, PROVISIONAL_DEVIATION / _deviation(opponent)) ** 2


def damped(before: Rating, after: Rating, weight: float) -> Rating:
    """Return the rating that has gone from ``before`` towards ``after`` by ``weight``, its deviation by the root."""
    rating = before.rating + weight * (after.rating - before.rating)
    deviation = _deviation(before) + math.sqrt(weight) * (_deviation(after) - _deviation(before))
    if isinstance(before, Glicko) and isinstance(after, Glicko):
        return Glicko(rating, deviation, before.volatility + weight * (after.volatility - before.volatility))
    return PlayerStrength(rating, deviation)


def _deviation(rating: Rating) -> float:
    return rating.deviation if isinstance(rating, Glicko) else rating.sigma


def _idle(rating: Rating, days: float) -> Rating:
    return rating.idle(PERIODS_A_DAY * max(0.0, days)) if isinstance(rating, Glicko) else rating.idle(days)
