"""Intervals hold what they promise: the mean lies in 95 of 100 of them."""

import math
import random
import re
from collections.abc import Callable

import pytest

import tercet
from tercet.core.figures import Estimate, mean, per_turn, share, wilson
from tercet.laboratory import GameRow, report, summary
from tests.support.division import online_but

SAMPLES = 1000


def covered(draw: Callable[[random.Random], Estimate], truth: float) -> float:
    """Return the share of many intervals that hold ``truth``."""
    chance = random.Random(20)
    found = (draw(chance) for _ in range(SAMPLES))
    return sum(estimate.low <= truth <= estimate.high for estimate in found) / SAMPLES


@pytest.mark.parametrize(
    ("results", "weights"),
    [
        ((0, 1), (63, 37)),  # won or lost
        ((0, 0.5, 1), (20, 60, 20)),  # mostly drawn
        ((0, 0.5, 1), (5, 5, 90)),
        ((0, 1 / 3, 0.5, 1), (50, 12, 13, 25)),  # of three players
        ((0, 0.5), (25, 75)),  # of a player with two seats of three
        ((0.3, 0.5, 0.7, 0.8, 0.9, 1), (5, 10, 20, 25, 25, 15)),  # the part of a game until it is decided
    ],
)
@pytest.mark.parametrize("games", online_but(lambda games: games < 200, [40, 200]))
def test_intervals_of_shares(results: tuple[float, ...], weights: tuple[int, ...], games: int) -> None:
    truth = sum(result * weight for result, weight in zip(results, weights, strict=True)) / sum(weights)
    assert 0.93 <= covered(lambda chance: share(chance.choices(results, weights, k=games)), truth) <= 0.97


def test_draws_make_the_interval_of_a_share_narrower() -> None:
    decided, drawn = share([0, 1] * 50), share([0, 0.5, 0.5, 1] * 25)
    assert (decided.low, decided.high) == tuple(round(end, 4) for end in wilson(0.5, 100))
    assert drawn.high - drawn.low == pytest.approx((decided.high - decided.low) / math.sqrt(2), abs=0.002)
    # Of games that are all drawn nothing tells how the next ones vary: the interval is no narrower.
    assert share([0.5] * 100) == decided
    assert share([1.0] * 100).low == round(wilson(1.0, 100)[0], 4)


@pytest.mark.parametrize("count", [2, 3, 4, 6, 30])
def test_intervals_of_means(count: int) -> None:
    assert 0.93 <= covered(lambda chance: mean([chance.gauss(7, 2) for _ in range(count)]), 7) <= 0.97


# Of rare events, of common ones, of some that come in crowds.
COUNTS: dict[str, tuple[Callable[[random.Random], float], float]] = {
    "rare": (lambda chance: sum(chance.random() < 0.001 for _ in range(50)), 0.05),
    "common": (lambda chance: sum(chance.random() < 0.05 for _ in range(40)), 2),
    "crowded": (lambda chance: int(chance.expovariate(1) / 0.5) * (chance.random() < 0.5), 0.5 / (math.exp(0.5) - 1)),
}


@pytest.mark.parametrize("kind", COUNTS)
@pytest.mark.parametrize("games", online_but(lambda games: games < 200, [40, 200]))
def test_intervals_of_counts_hold_and_are_never_negative(kind: str, games: int) -> None:
    draw, truth = COUNTS[kind]

    def estimate(chance: random.Random) -> Estimate:
        found = mean([draw(chance) for _ in range(games)])
        assert 0 <= found.low <= found.mean <= found.high
        return found

    assert 0.92 <= covered(estimate, truth) <= 0.98


def test_means_at_an_end_of_what_is_possible() -> None:
    none, always = mean([0] * 100), mean([1] * 100)
    assert [none.low, none.high] == pytest.approx([0, 0.037], abs=0.001), "none in 100 games is no proof of none"
    assert [always.low, always.high] == pytest.approx([0.963, 1], abs=0.001), "a share is never above 1"
    assert per_turn([[1, 1], [1], [1, 0]]).high <= 1
    assert mean([-1, 0, 1, 0]).low < 0, "what can be negative may have a negative end"
    nothing = {"replacements": 0, "threats": 0, "swings": 0, "pieces": [1, 1, 1], "kept": []}  # but, once, a ko
    counts = ({**nothing, "ko": int(number == 0)} for number in range(50))
    rows = [GameRow(number, (0, 1), (1.0, 0.0), 20, "circle", each) for number, each in enumerate(counts)]
    lines = report(tercet.game("sanqi"), summary(tercet.game("sanqi"), rows))
    assert not any(re.search(r"\(-|to -", line) for line in lines)


def test_turns_of_one_game_are_not_independent_and_one_value_has_no_interval() -> None:
    def games(chance: random.Random) -> list[list[float]]:
        found = []
        for _ in range(25):
            level, turns = chance.gauss(5, 1), chance.randint(5, 12)
            found.append([level + chance.gauss(0, 1) for _ in range(turns)])
        return found

    assert 0.93 <= covered(lambda chance: per_turn(games(chance)), 5) <= 0.97
    # With turns as the units the interval would promise far too much.
    assert covered(lambda chance: mean([value for game in games(chance) for value in game]), 5) < 0.7
    assert mean([3]).as_dict() == per_turn([[3]]).as_dict() == {"mean": 3}
