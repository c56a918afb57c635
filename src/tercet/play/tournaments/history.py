"""The past of each player, on which pairings depend: opponents met, seats, byes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from tercet.play.tournaments.results import Pairing, Result, share

__all__ = ["Past", "look_back", "worth"]


def worth(kind: str, result: Result, place: int) -> Fraction:
    """Return the points that ``result`` gives the player at ``place``: their share; an arena counts it twice."""
    return share(result.scores[place]) * (2 if kind == "arena" else 1)


@dataclass
class Past:
    """One person's tournament so far. ``met`` counts opponents, ``follows`` the players to whose left they sat,
    ``sat`` are their seats in order, ``last`` the opponents of the last game and ``rested`` when that ended
    (milliseconds)."""

    points: Fraction = Fraction(0)
    met: Counter[str] = field(default_factory=Counter)
    follows: Counter[str] = field(default_factory=Counter)
    sat: list[int] = field(default_factory=list)
    byes: int = 0
    last: frozenset[str] = frozenset()
    rested: int = 0

    def times(self, seat: int) -> int:
        """Return how often they sat there."""
        return self.sat.count(seat)

    @property
    def lead(self) -> int:
        """Return how much more often they sat in the first seat than in the second."""
        return self.times(0) - self.times(1)

    @property
    def streak(self) -> int:
        """Return how many of the last games in a row were played from the same seat."""
        length = 0
        while length < len(self.sat) and self.sat[-1 - length] == self.sat[-1]:
            length += 1
        return length


def look_back(kind: str, people: Iterable[str], pairings: Iterable[Pairing]) -> dict[str, Past]:
    """Everybody's past, in one pass over ``pairings``. Games that were forfeited were no meetings."""
    found: dict[str, Past] = defaultdict(Past, {person: Past() for person in people})
    for pairing in pairings:
        result = pairing.result
        for place, person in enumerate(pairing.people):
            past = found[person]
            if result is not None:
                past.points += worth(kind, result, place)
                past.rested = max(past.rested, result.at)
            if pairing.is_bye:
                past.byes += 1
                continue
            if result is not None and result.forfeits:
                continue
            others = [other for other in pairing.people if other != person]
            past.met.update(others)
            past.follows[pairing.people[place - 1]] += 1
            past.sat.append(place)
            past.last = frozenset(others)
    return dict(found)
