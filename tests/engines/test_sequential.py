"""Sequential tests and normalized Elo, against fishtest's own figures, closed forms and simulation."""

import math
import random

import pytest

from tercet.engines.match import NELO, SequentialTest, normalized_elo


def of_blocks(counts: tuple[int, ...]) -> list[float]:
    """Mean scores of pairs from how often each came: lost both, 1/2 of 2, ... won both."""
    return [number / 4 for number, count in enumerate(counts) for _ in range(count)]


# Made with fishtest's LLRcalc.LLR_normalized (server/fishtest/stats, of 2026).
@pytest.mark.parametrize(
    ("low", "high", "counts", "ratio"),
    [
        (0, 2, (1, 60, 500, 1200, 500), 12.5761),
        (0, 5, (200, 1000, 2400, 1050, 230), 1.5370),
        (-3, 1, (10, 250, 600, 240, 12), -0.0618),
        (0, 50, (0, 0, 10, 3, 5), 1.8880),
        (0, 100, (30, 0, 50, 0, 41), -3.7621),
    ],
)
def test_the_ratio_is_fishtest_s(low: float, high: float, counts: tuple[int, ...], ratio: float) -> None:
    assert SequentialTest(low, high).ratio(of_blocks(counts)) == pytest.approx(ratio, abs=2e-4)


def test_the_bounds_are_wald_s_and_little_is_not_decided() -> None:
    assert SequentialTest(0, 5).bounds() == pytest.approx((-2.944439, 2.944439), abs=1e-6)
    assert SequentialTest(0, 5, alpha=0.01, beta=0.1).bounds() == pytest.approx((math.log(10 / 99), math.log(90)))
    test = SequentialTest(0, 5)
    assert test.ratio([]) == 0
    assert test.decided(of_blocks((0, 0, 3, 1, 2))) is None
    assert SequentialTest(0, 50).decided(of_blocks((0, 0, 10, 100, 300))) == "high"
    assert SequentialTest(0, 50).decided(of_blocks((300, 100, 10, 0, 0))) == "low"


def test_normalized_elo_of_games_that_win_or_lose() -> None:
    """Pairs of two independent games won with probability 3/5: a mean of 0.1 above one half, deviation sqrt(0.24)."""
    found = normalized_elo(of_blocks((160, 0, 480, 0, 360)), 2)
    assert found.difference == pytest.approx(NELO * 0.1 / math.sqrt(0.24))
    assert found.low < found.difference < found.high
    t, skew, peak = 0.2 / math.sqrt(0.48), -0.2 / math.sqrt(0.48), 3 + (1 - 6 * 0.24) / 0.48  # of a pair
    error = math.sqrt((1 - t * skew + t * t * (peak - 1) / 4) / 1000)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error * NELO / math.sqrt(2), rel=0.001)
    mirrored = normalized_elo(of_blocks((360, 0, 480, 0, 160)), 2)
    assert (mirrored.low, mirrored.difference) == pytest.approx((-found.high, -found.difference))
    assert [normalized_elo(scores, 2).difference for scores in ([], [1.0, 1.0])] == [0, math.inf]


def play(chance: random.Random, elo: float, test: SequentialTest) -> str:
    """A match in which each game is won with the probability that ``elo`` means, until it is decided."""
    shift = elo / NELO
    won = 0.5 + shift / 2 / math.sqrt(1 + shift * shift)
    played: list[float] = []
    while True:
        for _ in range(10):
            played.append(sum(chance.random() < won for _ in range(test.games)) / test.games)
        found = test.decided(played)
        if found is not None:
            return found


@pytest.mark.parametrize("games", [2, 6])
def test_it_errs_as_often_as_it_says(games: int) -> None:
    chance, test = random.Random(games), SequentialTest(0, 100, games)
    wrong = sum(play(chance, 0, test) == "high" for _ in range(80))
    missed = sum(play(chance, 100, test) == "low" for _ in range(80))
    assert wrong <= 12  # 4 are expected at most; more than 12 come less than once in a thousand times
    assert missed <= 12
