"""How strong players are: Glicko-2 for two, Plackett-Luce with an effect of the seats for three. Pure functions."""

from tercet.ratings.glicko import PERIODS_A_DAY, Glicko, rate_two
from tercet.ratings.plackett import Effect, Strength, chances, rate_many
from tercet.ratings.shown import Rating, read_rating, shown
from tercet.ratings.speed import SPEEDS, pool_of, speed_of

__all__ = [
    "PERIODS_A_DAY",
    "SPEEDS",
    "Effect",
    "Glicko",
    "Rating",
    "Strength",
    "chances",
    "pool_of",
    "rate_many",
    "rate_two",
    "read_rating",
    "shown",
    "speed_of",
]
