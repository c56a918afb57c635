"""Ratings as they are kept, and as people see them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tercet.ratings.glicko import PERIODS_A_DAY, Glicko
from tercet.ratings.plackett import Strength

__all__ = ["Rating", "read_rating", "shown"]

Rating = Glicko | Strength


def read_rating(values: Mapping[str, Any]) -> Rating:
    """A rating as it is kept."""
    return Glicko.read(values) if "deviation" in values else Strength.read(values)


def shown(rating: Rating, days: float) -> dict[str, Any]:
    """A rating that has stood for so many ``days`` as it is shown, with the interval in which the strength lies with a
    probability of 95 %: it widens with time."""
    rating = rating.idle(PERIODS_A_DAY * days) if isinstance(rating, Glicko) else rating.idle(days)
    return {
        "rating": round(rating.rating),
        "low": round(rating.low),
        "high": round(rating.high),
        "provisional": rating.is_provisional,
    }
