"""The intervals of a ladder's Elo and of variety hold the true figure in 95 of 100 studies, from the rows on."""

import random
from collections.abc import Callable

import pytest

from tercet.laboratory import Arm, ArmResult, GameRow, Results, Study, figures, players
from tercet.laboratory.metrics import elo_of
from tercet.laboratory.reporting import ladder_of

pytestmark = pytest.mark.thorough

STUDIES = 1000


def covered(holds: Callable[[random.Random], bool]) -> float:
    """Return the share of many studies whose interval holds the true figure."""
    chance = random.Random(8)
    return sum(holds(chance) for _ in range(STUDIES)) / STUDIES


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
