"""What finished games come to, by arithmetic of its own: ratings of two players, and the standings of a tournament."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

SCALE = 400 / math.log(10)
TAU = 0.5
PERIODS_A_DAY = 0.2144
NEW = (1500.0, 350.0, 0.06)
SURE = 110.0  # the deviation from which on a result against a player counts in full


class Strength(NamedTuple):
    """A player's rating, its deviation, and its volatility (Glickman's Glicko-2)."""

    rating: float = NEW[0]
    deviation: float = NEW[1]
    volatility: float = NEW[2]

    def idle(self, days: float) -> Strength:
        grown = self.deviation**2 + (SCALE * self.volatility) ** 2 * PERIODS_A_DAY * max(0.0, days)
        return self._replace(deviation=min(NEW[1], math.sqrt(grown)))

    def is_near(self, data: Mapping[str, float]) -> bool:
        return all(abs(value - data[name]) < 1e-5 for name, value in self._asdict().items())


def rated(player: Strength, other: Strength, score: float, days: tuple[float, float], met: int) -> Strength:
    """The ``player`` after a game with that ``score`` (1, 0.5 or 0) against an ``other``, so many ``days`` after the
    last of each, when they have ``met`` so often lately. It counts less against those who are new or met often."""
    now, them = player.idle(days[0]), other.idle(days[1])
    mu, phi = (now.rating - NEW[0]) / SCALE, now.deviation / SCALE
    g = 1 / math.sqrt(1 + 3 * (them.deviation / SCALE / math.pi) ** 2)
    expected = 1 / (1 + math.exp(-g * (mu - (them.rating - NEW[0]) / SCALE)))
    v = 1 / (g**2 * expected * (1 - expected))
    delta = v * g * (score - expected)
    a = math.log(now.volatility**2)

    def slope(x: float) -> float:
        spread = phi**2 + v + math.exp(x)
        return math.exp(x) * (delta**2 - spread) / (2 * spread**2) - (x - a) / TAU**2

    low, high = a - 40 * TAU, a + 40 * TAU  # it falls all the way
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    volatility = math.exp(low / 2)
    before = min((NEW[1] / SCALE) ** 2, phi**2 + volatility**2 * PERIODS_A_DAY * max(0.0, days[0]))
    after = 1 / math.sqrt(1 / before + 1 / v)
    full = NEW[0] + SCALE * (mu + after**2 * g * (score - expected))
    weight = min(1.0, SURE / them.deviation) ** 2 * 2 / (met + 2)
    return Strength(
        now.rating + weight * (full - now.rating),
        now.deviation + math.sqrt(weight) * (SCALE * after - now.deviation),
        now.volatility + weight * (volatility - now.volatility),
    )


ORDERS = {
    "round-robin": ("points", "direct", "sonneborn", "wins"),
    "swiss": ("points", "buchholz", "sonneborn", "direct", "wins"),
    "arena": ("points", "wins", "sonneborn"),
}


@dataclass(frozen=True)
class Meeting:
    """A pairing with its result: who met in which ``round``, and what each scored. Nobody ``played`` a bye, or where
    one did not come."""

    round: int
    people: tuple[str, ...]
    scores: tuple[Fraction, ...]
    played: bool
    at: int | None = None  # when the result was known, in milliseconds

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> Meeting:
        """As the server tells it."""
        return cls.of(told["round"], [one["handle"] for one in told["people"]], told["result"])

    @classmethod
    def of(cls, number: int, people: Sequence[str], result: Mapping[str, Any] | None) -> Meeting:
        """With that result; without one no one has points yet."""
        scores = (0.0,) * len(people) if result is None else result["scores"]
        played = result is not None and len(people) > 1 and not result["forfeits"]
        at = None if result is None else result.get("at")
        return cls(number, tuple(people), tuple(Fraction(one).limit_denominator(12) for one in scores), played, at)


def standings(form: str, people: Sequence[str], meetings: Sequence[Meeting], number: int) -> list[dict[str, Any]]:
    """The line of each of ``people``, the best first, after these ``meetings``, in round ``number``."""
    worth = 2 if form == "arena" else 1
    points = dict.fromkeys(people, Fraction(0))
    games, wins = dict.fromkeys(people, 0), dict.fromkeys(people, 0)
    for one in meetings:
        for person, score in zip(one.people, one.scores, strict=True):
            points[person] += worth * score
            games[person] += one.played
            wins[person] += one.played and score == 1
    played = [one for one in meetings if one.played]
    sonneborn = dict.fromkeys(people, Fraction(0))
    for one in played:
        for seat, person in enumerate(one.people):
            sonneborn[person] += one.scores[seat] * points[one.people[1 - seat]]
    measures: dict[str, Mapping[str, Any]] = {
        "points": points,
        "wins": wins,
        "sonneborn": sonneborn,
        "buchholz": {person: _buchholz(person, meetings, points, number) for person in people},
    }
    found: dict[str, dict[str, Any]] = {person: {} for person in people}
    groups = [list(people)]
    for name in ORDERS[form]:
        split = []
        for group in groups:
            values = _direct(group, played) if name == "direct" else measures[name]
            for person in group:
                found[person][name] = values[person]
            split += [
                [one for one in group if values[one] == value] for value in sorted({values[one] for one in group})[::-1]
            ]
        groups = split
    lines = []
    for group in groups:
        for person in group:
            ties = [float(found[person][name]) for name in ORDERS[form] if name != "points"]
            lines.append({"handle": person, "points": float(points[person]), "games": games[person], "tiebreaks": ties})
    return lines


def _buchholz(person: str, meetings: Sequence[Meeting], points: Mapping[str, Fraction], number: int) -> Fraction:
    """The points of the opponents; in place of one who was not played, those of a player who had as many until then,
    had the rest of that game, and only draws from then on."""
    total = so_far = Fraction(0)
    for one in sorted(meetings, key=lambda one: one.round):
        if person not in one.people:
            continue
        score = one.scores[one.people.index(person)]
        if one.played:
            total += sum(points[other] for other in one.people if other != person)
        else:
            total += so_far + Fraction(number - one.round, 2) + 1 - score
        so_far += score
    return total


def _direct(group: Sequence[str], played: Sequence[Meeting]) -> dict[str, Fraction]:
    """The points from games among the ``group``; none where two of it have not met."""
    among = [one for one in played if set(one.people) <= set(group)]
    met = {frozenset(one.people) for one in among}
    if any(frozenset(pair) not in met for pair in combinations(group, 2)):
        return dict.fromkeys(group, Fraction(0))
    sums = dict.fromkeys(group, Fraction(0))
    for one in among:
        for person, score in zip(one.people, one.scores, strict=True):
            sums[person] += score
    return sums
