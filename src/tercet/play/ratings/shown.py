"""Ratings as they are stored, and as people see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tercet.play.ratings.glicko import PERIODS_A_DAY, Glicko
from tercet.play.ratings.plackett import PlayerStrength

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
