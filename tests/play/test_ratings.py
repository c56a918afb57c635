"""Ratings: the published example, what they must not do, and whether they find the truth."""

import math
import random
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.play import ratings
from tercet.play.ratings import SCALE, Effect, Glicko, PlayerStrength, chances, pool_of, rate_many, rate_two, seat_names

TOLD = {"rating": 1500.0, "deviation": 200.0, "volatility": 0.06}


def test_glickmans_example() -> None:
    found = Glicko.read(TOLD).after([(Glicko(1400, 30), 1.0), (Glicko(1550, 100), 0.0), (Glicko(1700, 300), 0.0)])
    assert found.rating == pytest.approx(1464.06, abs=0.02)
    assert found.deviation == pytest.approx(151.52, abs=0.01)
    assert found.volatility == pytest.approx(0.05999, abs=0.00001)
    assert Glicko.read(found.data()) == found
    # Glickman's player who does not play.
    idle = Glicko.read(TOLD).idle(1)  # his step 6
    assert idle.deviation == pytest.approx(173.7178 * math.hypot(200 / 173.7178, 0.06))
    assert (idle.rating, idle.volatility) == (1500, 0.06)
    assert Glicko.read(TOLD).after([]) == idle
    assert Glicko(1500, 349).idle(1000).deviation == 350
    # A year without games makes a rating provisional.
    assert Glicko(1600, 60).idle(365 * ratings.PERIODS_A_DAY).deviation == pytest.approx(110, abs=1)
    rested, fresh = rate_two(Glicko(1600, 60), Glicko(1600, 60), 1, (365, 0))
    assert rested.rating - 1600 > 2 * (1600 - fresh.rating) > 0
    assert PlayerStrength(1600, 60).idle(365).sigma == pytest.approx(110, abs=2)


@given(
    st.floats(800, 2200), st.floats(30, 350), st.floats(800, 2200), st.floats(30, 350), st.sampled_from((0.0, 0.5, 1.0))
)
def test_two_players_are_rated_alike(a: float, da: float, b: float, db: float, score: float) -> None:
    first, second = rate_two(Glicko(a, da), Glicko(b, db), score, (1, 1))
    mirrored, other = rate_two(Glicko(b, db), Glicko(a, da), 1 - score, (1, 1))
    assert mirrored.rating == pytest.approx(second.rating)
    assert other.deviation == pytest.approx(first.deviation)
    if score != 0.5:
        assert (first.rating - a) * (score - 0.5) > 0
        assert (second.rating - b) * (score - 0.5) < 0


EVEN = [Effect()] * 3


@pytest.mark.parametrize("scores", list(permutations((1.0, 0.5, 0.0))))
def test_three_are_ranked(scores: tuple[float, ...]) -> None:
    rated, learnt = rate_many([PlayerStrength()] * 3, EVEN, scores, [0] * 3)
    by_score = [rated[scores.index(score)].mu for score in (1.0, 0.5, 0.0)]
    assert by_score == sorted(by_score, reverse=True)
    assert sum(effect.mean for effect in learnt) == pytest.approx(0)
    assert learnt[scores.index(1.0)].mean > 0 > learnt[scores.index(0.0)].mean
    assert all(one.sigma < 350 for one in rated)


def test_ties_and_seats_are_taken_into_account() -> None:
    drawn, _ = rate_many([PlayerStrength(mu, 80) for mu in (1400, 1500, 1600)], EVEN, (1, 1, 1), [0] * 3)
    assert drawn[0].mu > 1400
    assert drawn[2].mu < 1600
    shared, _ = rate_many([PlayerStrength()] * 3, EVEN, (0.5, 0.5, 0), [0] * 3)
    assert shared[0].mu == pytest.approx(shared[1].mu)
    won, _ = rate_many([PlayerStrength()] * 3, EVEN, (1, 0, 0), [0] * 3)
    assert shared[2].mu < 1500 < shared[0].mu < won[0].mu
    sure = [Effect(100, 1), Effect(0, 1), Effect(-100, 1)]
    good, _, _ = rate_many([PlayerStrength(1500, 100)] * 3, sure, (1, 0, 0), [0] * 3)[0]
    _, _, bad = rate_many([PlayerStrength(1500, 100)] * 3, sure, (0, 0, 1), [0] * 3)[0]
    assert bad.mu - 1500 > 1.5 * (good.mu - 1500) > 0
    assert won[1].mu == pytest.approx(won[2].mu)
    weak, strong = PlayerStrength(1300, 100), PlayerStrength(1700, 100)
    _, before, after = rate_many([PlayerStrength(), weak, strong], EVEN, (1, 0, 0), [0] * 3)[0]
    assert before.mu < 1300
    assert after.mu < min(1700, before.mu + 400)  # the strong one was likelier to win, so he lost more


@given(
    st.lists(st.tuples(st.floats(-500, 4000), st.floats(20, 350)), min_size=3, max_size=3),
    st.lists(st.sampled_from((0.0, 1 / 3, 0.5, 1.0)), min_size=3, max_size=3),
)
def test_three_with_any_strengths(players: list[tuple[float, float]], scores: list[float]) -> None:
    before = [PlayerStrength(*player) for player in players]
    rated, learnt = rate_many(before, EVEN, scores, [0] * 3)
    for old, new in zip(before, rated, strict=True):
        assert math.isfinite(new.mu)
        assert 0 < new.sigma <= old.sigma * (1 + 1e-9)
    assert all(0 < effect.sigma <= 60 * (1 + 1e-9) for effect in learnt)
    assert PlayerStrength.read(rated[0].data()) == rated[0]


def _place(chance: random.Random, strengths: list[float]) -> list[int]:
    left, order = list(range(len(strengths))), []
    while left:
        order.append(chance.choices(left, chances([strengths[seat] for seat in left]))[0])
        left.remove(order[-1])
    return order


def covered(found: Sequence[PlayerStrength | Glicko], true: list[float]) -> tuple[float, float]:
    """How many intervals hold the truth, and the root mean square of errors; ratings have no zero of their own."""
    shift = sum(one.rating for one in found) / len(found) - sum(true) / len(true)
    intervals = [(one.rating - shift, 1.96 * one.deviation) for one in found]
    inside = sum(abs(mean - value) <= wide for (mean, wide), value in zip(intervals, true, strict=True))
    errors = [(one.rating - value - shift) ** 2 for one, value in zip(found, true, strict=True)]
    return inside / len(found), math.sqrt(sum(errors) / len(found))


def test_glicko_finds_the_truth() -> None:
    shares, errors = [], []
    for seed in range(4):
        chance = random.Random(seed)
        true = [chance.gauss(1500, 200) for _ in range(40)]
        found = [Glicko()] * 40
        for _ in range(2000):
            a, b = chance.sample(range(40), 2)
            score = 1.0 if chance.random() < chances([true[a], true[b]])[0] else 0.0
            found[a], found[b] = rate_two(found[a], found[b], score, (0.1, 0.1))
        inside, error = covered(found, true)
        shares.append(inside)
        errors.append(error)
    assert 0.90 <= sum(shares) / 4 <= 1
    assert max(errors) < 65  # 200 games against 100 opponents would leave 25 at best, 100 games 45


@pytest.mark.parametrize("only_winners", [False, True])
def test_plackett_luce_finds_the_truth_and_what_seats_are_worth(only_winners: bool) -> None:
    shares, errors, seats = [], [], 0
    worth = [50.0, 0.0, -50.0]
    for seed in range(4):
        chance = random.Random(seed)
        true = [chance.gauss(1500, 200) for _ in range(40)]
        found, effects = [PlayerStrength()] * 40, EVEN
        for _ in range(1600):
            people = chance.sample(range(40), 3)
            order = _place(chance, [true[who] + worth[seat] for seat, who in enumerate(people)])
            scores = [2.0 - order.index(seat) for seat in range(3)]
            if only_winners:
                scores = [float(score == 2) for score in scores]
            rated, effects = rate_many([found[who] for who in people], effects, scores, [0.1] * 3)
            for who, new in zip(people, rated, strict=True):
                found[who] = new
        inside, error = covered(found, true)
        shares.append(inside)
        errors.append(error)
        seats += sum(abs(one.mean - value) <= 1.96 * one.sigma for one, value in zip(effects, worth, strict=True))
        assert [effect.mean for effect in effects] == pytest.approx(worth, abs=40)
    assert 0.90 <= sum(shares) / 4 <= 1
    assert max(errors) < 75
    assert seats >= 8  # of 12
    assert sum(chances([1500, 1500, 1500])) == pytest.approx(1)
    assert chances([1500 + SCALE * math.log(10), 1500])[0] == pytest.approx(10 / 11)


@pytest.mark.parametrize(
    ("clock", "speed"),
    [
        (None, "none"),
        ({"kind": "correspondence", "days": 3}, "correspondence"),
        ({"kind": "fischer", "minutes": 3, "increment": 2}, "blitz"),
        ({"kind": "fischer", "minutes": 5, "increment": 5}, "rapid"),
        ({"kind": "fischer", "minutes": 10, "increment": 0}, "rapid"),
        ({"kind": "fischer", "minutes": 15, "increment": 15}, "classical"),
        ({"kind": "byoyomi", "minutes": 1, "periods": 3, "seconds": 10}, "blitz"),
        ({"kind": "byoyomi", "minutes": 10, "periods": 5, "seconds": 30}, "rapid"),
        ({"kind": "move", "minutes": 10}, "classical"),
        ({"kind": "turn", "seconds": 10}, "blitz"),
        ({"kind": "turn", "seconds": 60}, "rapid"),
        ({"kind": "turn", "seconds": 300}, "classical"),
    ],
)
@pytest.mark.parametrize("game", tercet.games())
def test_speeds(clock: dict[str, object] | None, speed: str, game: str) -> None:
    assert speed in ratings.SPEEDS
    assert ratings.speed_of(clock, game) == speed


@pytest.mark.parametrize("name", tercet.games())
def test_a_pool_is_of_a_game_and_a_number_of_players(name: str) -> None:
    usual = tercet.game(name).players
    assert pool_of(name, len(usual)) == name
    for players in range(2, 12):
        assert ratings.game_of_pool(pool_of(name, players)) == (name, players)
    assert seat_names(name, len(usual)) == tuple(usual)
    assert seat_names("sparklies", 3) == tuple(tercet.game("sparklies", players=3).players)
    assert seat_names("sanqi", 4) == ("1", "2", "3", "4"), "no option of it makes it four"
