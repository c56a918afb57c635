"""How strong players are: Glicko-2 for two, Plackett-Luce with an effect of the seats for three. Pure functions."""

from tercet.play.ratings.damping import PERIOD, Rating, damped, rate_game, read_rating, shown, trust
from tercet.play.ratings.glicko import PERIODS_A_DAY, Glicko, rate_two
from tercet.play.ratings.plackett import Effect, PlayerStrength, chances, rate_many
from tercet.play.ratings.pools import SPEEDS, game_of_pool, is_long_enough, pool_of, seat_names, speed_of, why_unrated

__all__ = [
    "PERIOD",
    "PERIODS_A_DAY",
    "SPEEDS",
    "Effect",
    "Glicko",
    "PlayerStrength",
    "Rating",
    "chances",
    "damped",
    "game_of_pool",
    "is_long_enough",
    "pool_of",
    "rate_game",
    "rate_many",
    "rate_two",
    "read_rating",
    "seat_names",
    "shown",
    "speed_of",
    "trust",
    "why_unrated",
]
