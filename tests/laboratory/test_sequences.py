"""Intervals one may stop by, by their width or at any time, and of Elo and variety: they hold 95 times of 100."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tercet.core.figures import ConfidenceSequence, Estimate, e_bh, judge_differences, mean, per_turn, share
from tercet.laboratory import Arm, ArmResult, GameRow, Results, Study, figures, players
from tercet.laboratory.metrics import elo_of
from tercet.laboratory.reporting import ladder_of

pytestmark = pytest.mark.thorough

STEP = 12
RUNS = 1500  # of each kind of interval


def games_of_turns(chance: random.Random) -> list[float]:
    """A game whose turns resemble each other: two turns, or eight longer ones."""
    turns = chance.choice((2, 8))
    return [turns / 4 + chance.randint(0, 1) for _ in range(turns)]


@pytest.mark.parametrize(
    ("draw", "estimate", "truth", "width"),
    [
        (lambda chance: chance.choices((0, 1), (64, 36))[0], share, 0.36, 0.2),
        (lambda chance: chance.choices((0, 1), (85, 15))[0], share, 0.15, 0.2),
        (lambda chance: chance.choices((0, 0.5, 1), (30, 40, 30))[0], share, 0.5, 0.2),
        (lambda chance: chance.choice((8, 10, 11, 15)), mean, 11, 1.6),
        (games_of_turns, per_turn, (2 * 1 + 8 * 2.5) / 10, 0.25),
    ],
    ids=["a share", "a small share", "points with draws", "a mean over games", "a mean over turns"],
)
def test_stopping_by_width_keeps_what_an_interval_promises(
    draw: Callable[[random.Random], Any], estimate: Callable[[list[Any]], Estimate], truth: float, width: float
) -> None:
    chance, held = random.Random(5), 0
    for _ in range(RUNS):
        values = [draw(chance) for _ in range(2 * STEP)]
        while (found := estimate(values)).high - found.low > width:
            values += [draw(chance) for _ in range(STEP)]
        held += found.low <= truth <= found.high
    assert 0.93 <= held / RUNS <= 0.97


@pytest.mark.parametrize("truth", [0.1, *(pytest.param(truth, marks=pytest.mark.long) for truth in (0.5, 0.97))])
def test_a_confidence_sequence_holds_the_mean_at_all_times(truth: float) -> None:
    """Of 300 sequences of 300 results, looked at after each, at most about one in twenty ever loses the mean."""
    chance = np.random.default_rng(7)
    lost = 0
    for _ in range(300):
        sequence = ConfidenceSequence()
        for value in chance.random(300) < truth:
            sequence.add(float(value))
        low, high = sequence.interval  # intervals are nested: one that lost the mean never finds it again
        lost += not low <= truth <= high
    assert lost / 300 <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


def test_a_confidence_sequence_is_nested_and_narrows() -> None:
    chance, sequence, before = random.Random(1), ConfidenceSequence(), (0.0, 1.0)
    for _ in range(400):
        sequence.add(chance.choice((0.0, 0.5, 1.0)))
        low, high = sequence.interval
        assert before[0] <= low <= high <= before[1]
        before = (low, high)
    assert before[1] - before[0] < 0.2


def test_looking_after_every_game_raises_no_false_alarm() -> None:
    """Equal arms are called different in at most 5 % of comparisons, though one looks after each game; an ordinary
    interval looked at as often is wrong several times as often."""
    chance = random.Random(3)
    alarms = ordinary = 0
    for _ in range(200):
        values = [float(chance.randint(0, 1) - chance.randint(0, 1)) for _ in range(200)]
        alarms += judge_differences("x", values, 0.001).verdict in ("higher", "lower")
        points = [(value + 1) / 2 for value in values]
        ordinary += any(not found.low <= 0.5 <= found.high for found in (share(points[:n]) for n in range(20, 200, 10)))
    assert alarms / 200 <= 0.05 + 3 * (0.05 * 0.95 / 200) ** 0.5
    assert ordinary > 2 * alarms


@pytest.mark.parametrize(
    ("low", "high", "margin", "verdict"),
    [(0.6, 0.2, 0.05, "higher"), (0.2, 0.6, 0.05, "lower"), (0.5, 0.5, 0.2, "equivalent")],
)
def test_verdicts(low: float, high: float, margin: float, verdict: str) -> None:
    chance = random.Random(9)
    values = [float(chance.random() < low) - float(chance.random() < high) for _ in range(3000)]
    assert judge_differences("x", values, margin, step=STEP).verdict == verdict


def test_small_budgets_are_inconclusive_and_wrong_values_refused() -> None:
    found = judge_differences("x", [1.0, -1.0] * 12, 0.01)
    assert (found.verdict, found.games, found.difference) == ("inconclusive", 24, 0.0)
    with pytest.raises(ValueError, match="not between"):
        ConfidenceSequence().add(1.5)
    assert e_bh({"a": 70.0, "b": 30.0, "c": 1.0}) == {"a", "b"}  # 3 / (0.05 * 1) = 60, 3 / (0.05 * 2) = 30
    assert e_bh({"a": 59.0, "b": 29.0, "c": 1.0}) == set()
    assert e_bh({}) == set()


@pytest.mark.train  # ville needs SciPy, which slows every process that imports Numba
@pytest.mark.parametrize(
    ("draw", "low", "high"),
    [
        (lambda chance: float(chance.random() < 0.36), 0, 1),
        (lambda chance: float(chance.random() < 0.05), 0, 1),
        (lambda chance: chance.choice((0, 0.5, 1)), 0, 1),
        (lambda chance: chance.uniform(-0.4, 1), -1, 1),
    ],
    ids=["a share", "a small share", "points with draws", "differences"],
)
def test_the_intervals_are_those_of_ville(draw: Callable[[random.Random], float], low: float, high: float) -> None:
    """Those of ville have the same bets (Waudby-Smith and Ramdas, 2024, theorem 3) on 10,000 means instead of 1,001."""
    from ville import BettingCS

    chance = random.Random(3)
    ours, theirs = ConfidenceSequence(low=low, high=high), BettingCS((low, high))
    for count in range(1, 401):
        value = draw(chance)
        ours.add(value)
        theirs.update(value)
        if count % 10 == 0:
            assert ours.interval == pytest.approx(theirs.interval()[-2:], abs=1.5e-3 * (high - low))


def covered(holds: Callable[[random.Random], bool]) -> float:
    """Return the share of many studies whose interval holds the true figure."""
    chance = random.Random(8)
    return sum(holds(chance) for _ in range(1000)) / 1000


@pytest.mark.parametrize("games", [pytest.param(60, marks=pytest.mark.long), 120])
@pytest.mark.parametrize(
    ("seats", "points", "drawn", "first"),
    [(2, 0.64, 0.0, 0.0), (2, 0.52, 0.3, 0.0), (2, 0.85, 0.0, 0.1), (3, 0.45, 0.0, 0.0), (3, 0.4, 0.0, 0.15)],
    ids=["two", "two with draws", "two, seats worth more", "three", "three, seats worth more"],
)
def test_the_elo_of_a_ladder(seats: int, points: float, drawn: float, first: float, games: int) -> None:
    """One player has so many ``points`` against equal others; ``first`` is what the first seat adds and the last one
    takes."""
    arm = Arm("sparklies", {"board": "hex2", "players": seats}, players("mcts", *["random"] * (seats - 1)), name="rung")
    game, orders = arm.made(), arm.orders
    assert len(game.players) == seats

    def played(chance: random.Random, number: int) -> GameRow:
        order = orders[number % len(orders)]
        scores = [1 / seats] * seats
        if chance.random() >= drawn:
            seat = order.index(0)
            wins = points + (points - 1 / seats) * drawn / (1 - drawn) + first * ((seat == 0) - (seat == seats - 1))
            winner = 0 if chance.random() < wins else chance.randrange(1, seats)
            scores = [float(entrant == winner) for entrant in order]
        return GameRow(number, order, tuple(scores), 1, "full")

    def holds(chance: random.Random) -> bool:
        rows = tuple(played(chance, number) for number in range(games))
        result = ArmResult(arm, rows, tuple(figures(["players"], rows, arm)), (), "")
        ((_, elo, _),) = ladder_of(Results(Study("depth", "?", (arm,)), (result,)))
        return elo.low <= elo_of(points, seats) <= elo.high

    assert 0.93 <= covered(holds) <= 0.97


@pytest.mark.parametrize("games", [pytest.param(60, marks=pytest.mark.long), 120])
@pytest.mark.parametrize("openings", [(50, 50), (70, 10, 10, 10), (20,) * 5], ids=str)
def test_variety(openings: tuple[int, ...], games: int) -> None:
    """Two games differ unless both begin with the same of some ``openings``, which have these weights."""
    arm = Arm("sparklies", {"board": "3x3"}, players("random"), name="3x3")
    truth = 1 - sum((weight / sum(openings)) ** 2 for weight in openings)

    def holds(chance: random.Random) -> bool:
        begun = chance.choices(range(len(openings)), openings, k=games)
        rows = [GameRow(number, (0, 1), (1.0, 0.0), 5, "full", moves=(one,) * 5) for number, one in enumerate(begun)]
        (found,) = figures(["variety"], rows, arm)
        return found.estimate.low <= truth <= found.estimate.high

    assert 0.93 <= covered(holds) <= 0.97
