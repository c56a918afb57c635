"""Entrants, pairings, results and events of a tournament, and its standings: by points, then by tiebreaks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tercet.play.tournaments.form import BEST_MARGIN, Form


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
        margins = None if data.get("margins") is None else tuple(data["margins"])
        return cls(tuple(data["scores"]), margins, tuple(data.get("forfeits", ())), data.get("at", 0))


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
        forfeits=tuple(index for index, person in enumerate(people) if person not in there),
        at=now,
    )


def worth(kind: str, result: Result, place: int) -> Fraction:
    """Return the points that ``result`` gives the player at ``place``: their share; an arena counts it twice."""
    return share(result.scores[place]) * (2 if kind == "arena" else 1)


@dataclass
class Past:
    """One person's tournament so far. ``met`` counts opponents, ``follows`` the players to whose left they sat, ``sat``
    are their seats in order, ``last`` the opponents of the last game and ``rested`` when that ended (milliseconds)."""

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
        for index, person in enumerate(pairing.people):
            past = found[person]
            if result is not None:
                past.points += worth(kind, result, index)
                past.rested = max(past.rested, result.at)
            if pairing.is_bye:
                past.byes += 1
                continue
            if result is not None and result.forfeits:
                continue
            others = [other for other in pairing.people if other != person]
            past.met.update(others)
            past.follows[pairing.people[index - 1]] += 1
            past.sat.append(index)
            past.last = frozenset(others)
    return dict(found)


TIEBREAKS: Mapping[str, tuple[str, str]] = {
    "place": ("Play-off", "the place in the play-off"),
    "margin": ("Best margin", "the largest margin of victory in one game before the play-off"),
    "margins": ("All margins", "the sum of all margins of victory before the play-off"),
    "points": ("Points", "the sum of all results; an arena counts them twice"),
    "direct": ("Direct encounter", "the points from games among the tied players, if they have all met"),
    "buchholz": (
        "Buchholz",
        "the sum of the opponents' points; an unplayed game counts as one with an equal opponent who then only draws",
    ),
    "sonneborn": ("Sonneborn-Berger", "each opponent's points, times the player's result against them"),
    "wins": ("Wins", "games won on the board"),
    "number": ("Starting number", "the lower starting number, if everything else is equal"),
}
ORDERS: Mapping[str, tuple[str, ...]] = {
    "round-robin": ("points", "direct", "sonneborn", "wins", "number"),
    "swiss": ("points", "buchholz", "sonneborn", "direct", "wins", "number"),
    "arena": ("points", "wins", "sonneborn", "number"),
    BEST_MARGIN: ("place", "margin", "margins", "points", "wins", "number"),
}


@dataclass(frozen=True)
class Standing:
    """One line of the table: ``rank`` from 1, ``points``, how many ``games`` were played, and the ``tiebreaks`` by
    name, in the order in which they decide."""

    rank: int
    person: str
    points: Fraction
    games: int
    active: bool
    tiebreaks: Mapping[str, Fraction] = field(default_factory=dict)


@dataclass
class _Tally:
    entrant: Entrant
    points: Fraction = Fraction(0)
    games: int = 0
    wins: int = 0
    margins: list[Fraction] = field(default_factory=list)


def standings(
    form: Form, entrants: Sequence[Entrant], pairings: Sequence[Pairing], number: int, places: Mapping[str, int]
) -> list[Standing]:
    """Everybody's line, the best first, after ``pairings`` (those before a play-off that have a result) in round
    ``number``; ``places`` are those of a play-off. The order is total: the last tiebreak is the starting number."""
    tallies = _count(form, entrants, pairings)
    points = {person: tally.points for person, tally in tallies.items()}
    measures: dict[str, Callable[[str], Fraction]] = {
        "place": lambda person: Fraction(-places.get(person, 1000)),
        "margin": lambda person: max(tallies[person].margins, default=Fraction(0)),
        "margins": lambda person: sum(tallies[person].margins, Fraction(0)),
        "points": lambda person: points[person],
        "wins": lambda person: Fraction(tallies[person].wins),
        "number": lambda person: Fraction(-tallies[person].entrant.number),
        "buchholz": _buchholz(pairings, points, form.seats, number),
        "sonneborn": _sonneborn(pairings, points),
    }
    order = ORDERS[form.kind]
    ranked, found = _rank(list(tallies), order, measures, pairings)
    shown = [name for name in order if name not in ("points", "place", "number")]
    lines = []
    for rank, person in enumerate(ranked, 1):
        tally, tiebreaks = tallies[person], {name: found[person][name] for name in shown}
        lines.append(Standing(rank, person, tally.points, tally.games, tally.entrant.active, tiebreaks))
    return lines


def _count(form: Form, entrants: Sequence[Entrant], pairings: Sequence[Pairing]) -> dict[str, _Tally]:
    """Count the points of all players."""
    tallies = {entrant.id: _Tally(entrant) for entrant in entrants}
    for pairing in pairings:
        result = pairing.result
        assert result is not None
        for index, person in enumerate(pairing.people):
            tally = tallies[person]
            tally.points += worth(form.kind, result, index)
            if pairing.was_played:
                tally.games += 1
                if share(result.scores[index]) == 1:
                    tally.wins += 1
                    if result.margins is not None:
                        tally.margins.append(max(Fraction(1), Fraction(result.margins[index])))
    return tallies


def _rank(
    people: list[str],
    order: Sequence[str],
    measures: Mapping[str, Callable[[str], Fraction]],
    pairings: Sequence[Pairing],
) -> tuple[list[str], dict[str, dict[str, Fraction]]]:
    """``people`` by one measure after another, and what each measured; direct encounters among those equal so far."""
    found: dict[str, dict[str, Fraction]] = {person: {} for person in people}
    groups: list[list[str]] = [people]
    for name in order:
        split: list[list[str]] = []
        for group in groups:
            values = _direct(group, pairings) if name == "direct" else {one: measures[name](one) for one in group}
            alike: dict[Fraction, list[str]] = {}
            for person in group:
                found[person][name] = values[person]
                alike.setdefault(values[person], []).append(person)
            split += [alike[value] for value in sorted(alike, reverse=True)]
        groups = split
    return [person for group in groups for person in group], found


def _buchholz(
    pairings: Sequence[Pairing], points: Mapping[str, Fraction], seats: int, rounds: int
) -> Callable[[str], Fraction]:
    sums = dict.fromkeys(points, Fraction(0))
    so_far = dict.fromkeys(points, Fraction(0))
    for pairing in sorted(pairings, key=lambda pairing: (pairing.round, pairing.number)):
        assert pairing.result is not None
        for index, person in enumerate(pairing.people):
            own = share(pairing.result.scores[index])
            if pairing.was_played:
                sums[person] += sum(points[other] for other in pairing.people if other != person)
            else:  # FIDE's virtual opponent
                later = Fraction(rounds - pairing.round, seats)
                sums[person] += (seats - 1) * (so_far[person] + later) + 1 - own
            so_far[person] += own
    return sums.__getitem__


def _sonneborn(pairings: Sequence[Pairing], points: Mapping[str, Fraction]) -> Callable[[str], Fraction]:
    sums = dict.fromkeys(points, Fraction(0))
    for pairing in pairings:
        if pairing.was_played and pairing.result is not None:
            for index, person in enumerate(pairing.people):
                others = sum(points[other] for other in pairing.people if other != person)
                sums[person] += share(pairing.result.scores[index]) * others
    return sums.__getitem__


def _direct(group: Sequence[str], pairings: Sequence[Pairing]) -> dict[str, Fraction]:
    """Points from games among ``group``, in which at least two of it sat; 0 for all where not all have met."""
    among = set(group)
    sums = dict.fromkeys(group, Fraction(0))
    met: set[frozenset[str]] = set()
    for pairing in pairings:
        inside = [person for person in pairing.people if person in among]
        if len(inside) < 2 or not pairing.was_played or pairing.result is None:
            continue
        met.update(frozenset((a, b)) for a in inside for b in inside if a != b)
        for person in inside:
            sums[person] += share(pairing.result.scores[pairing.people.index(person)])
    if len(met) < len(group) * (len(group) - 1) // 2:
        return dict.fromkeys(group, Fraction(0))
    return sums
