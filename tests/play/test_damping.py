"""Ratings are hard to raise with throw-away accounts, and still find the truth among honest players."""

import random
import statistics

import pytest

from tercet.play.ratings import Effect, Glicko, PlayerStrength, Rating, rate_game, trust
from tests.play.test_ratings import covered


@pytest.mark.parametrize(
    ("socks", "games", "most", "undamped"), [(1, 18, 1600, 1823), (6, 3, 1650, 2027), (6, 18, 1700, 2116)]
)
def test_throw_away_accounts_raise_nobody(socks: int, games: int, most: int, undamped: int) -> None:
    """``undamped``: the rating where a pair had three full games a day, and all opponents counted alike."""
    mine: Rating = Glicko()
    for _ in range(socks):
        sock: Rating = Glicko()
        for met in range(games):
            (mine, sock), _ = rate_game((mine, sock), (1, 0), (0.0, 0.0), {(0, 1): met})
    assert 1500 < mine.rating < most < undamped


def test_three_are_damped_alike_and_known_opponents_count_in_full() -> None:
    mine: Rating = PlayerStrength()
    for _ in range(6):
        socks: list[Rating] = [PlayerStrength(), PlayerStrength()]
        for met in range(3):
            before, times = (mine, *socks), {(0, 1): met, (0, 2): met, (1, 2): met}
            (mine, *socks), _ = rate_game(before, (1, 0, 0), (0.0,) * 3, times, [Effect()] * 3)
    assert 1500 < mine.rating < 1650
    known = Glicko(1700, 80)
    (after, _), _ = rate_game((Glicko(), known), (1, 0), (0.0, 0.0), {})
    assert after == Glicko().after([(known, 1.0)], 0.0)
    assert trust(known) == 1
    assert trust(Glicko()) == pytest.approx(0.1, abs=0.01)


def pool(seed: int, people: int = 24, games: int = 40) -> tuple[float, float, float]:
    """Players of a new pool after so many games each with whom they meet: the root mean square error of their ratings,
    their mean deviation, and the share whose true strength lies in the interval of 95 %."""
    draw = random.Random(seed)
    true = [draw.gauss(1500, 200) for _ in range(people)]
    ratings: list[Rating] = [Glicko() for _ in range(people)]
    met: dict[tuple[int, int], int] = {}
    for _ in range(people * games // 2):
        one, other = sorted(draw.sample(range(people), 2))
        won = draw.random() < 1 / (1 + 10 ** ((true[other] - true[one]) / 400))
        times = {(0, 1): met.get((one, other), 0)}
        pair, _ = rate_game((ratings[one], ratings[other]), (won, not won), (0.02, 0.02), times)
        ratings[one], ratings[other] = pair
        met[one, other] = times[0, 1] + 1
    inside, error = covered(ratings, true)
    return error, statistics.mean(rating.deviation for rating in ratings), inside


def test_an_honest_pool_still_converges() -> None:
    """After 40 games each ratings are as near the truth as their deviations say, and no player is provisional."""
    found = [pool(seed) for seed in range(1, 7)]
    assert statistics.mean(error for error, _, _ in found) < 90  # they began 200 away; undamped they come to 66
    assert all(deviation < 100 for _, deviation, _ in found)
    assert statistics.mean(inside for _, _, inside in found) > 0.9
