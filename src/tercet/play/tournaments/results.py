"""Entrants, pairings, results and events of a tournament."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any


@dataclass(frozen=True)
class Entrant:
    """A player of a tournament. ``number`` is the starting number, from 1; ``active``: to be paired."""

    id: str
    number: int
    active: bool = True


@dataclass(frozen=True)
class Result:
    """The result of a game: each seat's share of the point; ``margins``, by how much each seat was ahead of the next
    best (negative: behind the best), if the game is played for that; ``forfeits``, the seats that lost without playing;
    ``at``, when it was known (milliseconds)."""

    scores: tuple[float, ...]
    margins: tuple[float, ...] | None = None
    forfeits: tuple[int, ...] = ()
    at: int = 0

    def data(self) -> dict[str, Any]:
        """Return JSON-able data, which :meth:`read` reads."""
        return {
            "scores": list(self.scores),
            "margins": None if self.margins is None else list(self.margins),
            "forfeits": list(self.forfeits),
            "at": self.at,
        }

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Result:
        """Return the result that :meth:`data` wrote."""
        margins = data.get("margins")
        return cls(
            tuple(data["scores"]),
            None if margins is None else tuple(margins),
            tuple(data.get("forfeits", ())),
            data.get("at", 0),
        )


@dataclass(frozen=True)
class Pairing:
    """The ``number``-th pairing of the tournament, from 1: ``people`` in the order of their seats, or one alone who has
    a bye. ``result`` is None while they play."""

    number: int
    round: int
    people: tuple[str, ...]
    result: Result | None = None

    @property
    def is_bye(self) -> bool:
        """Return whether this is a bye."""
        return len(self.people) == 1

    @property
    def was_played(self) -> bool:
        """Return whether all players began the game and it was finished."""
        return self.result is not None and not self.is_bye and not self.result.forfeits


@dataclass(frozen=True)
class TournamentEvent:
    """Something that happened in a tournament. ``data`` is JSON-able; by kind:

    ``joined`` person; ``left`` person; ``begun`` at, order (who has which starting number), rounds, ends; ``paired``
    round, number, people, at; ``result`` number and what :class:`Result` has; ``over``
    why (only where it was called off).
    """

    kind: str
    data: Mapping[str, Any]


def share(score: float) -> Fraction:
    """Return a share of the point as the fraction that it is meant to be."""
    return Fraction(score).limit_denominator(60)


def forfeited(people: Sequence[str], away: Collection[str], now: int) -> Result:
    """Return the result where those who are ``away`` lose without playing; the others share the point."""
    there = [person for person in people if person not in away]
    return Result(
        tuple(1 / len(there) if person in there else 0.0 for person in people),
        forfeits=tuple(place for place, person in enumerate(people) if person not in there),
        at=now,
    )


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
