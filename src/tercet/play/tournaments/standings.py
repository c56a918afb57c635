"""The standings of a tournament: by points, then by one tiebreak after another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from tercet.play.tournaments.form import BEST_MARGIN, Form
from tercet.play.tournaments.results import Entrant, Pairing, share, worth

TIEBREAKS: Mapping[str, tuple[str, str]] = {
    "place": ("Play-off", "the place in the play-off"),
    "margin": ("Best margin", "the largest margin of victory in one game before the play-off"),
    "margins": ("All margins", "the sum of all margins of victory before the play-off"),
    "points": ("Points", "the sum of all results; an arena counts them twice"),
    "direct": ("Direct encounter", "the points from games among the tied players, if they have all met"),
    "buchholz": (
        "Buchholz",
        "the sum of the opponents' points; an unplayed game counts as one against an equal who draws from then on",
    ),
    "sonneborn": ("Sonneborn-Berger", "the opponents' points in each game, times the player's result in it"),
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
    return [
        Standing(
            rank,
            person,
            points[person],
            tallies[person].games,
            tallies[person].entrant.active,
            {name: found[person][name] for name in shown},
        )
        for rank, person in enumerate(ranked, 1)
    ]


def _count(form: Form, entrants: Sequence[Entrant], pairings: Sequence[Pairing]) -> dict[str, _Tally]:
    """Count the points of all players."""
    tallies = {entrant.id: _Tally(entrant) for entrant in entrants}
    for pairing in pairings:
        result = pairing.result
        assert result is not None
        for place, person in enumerate(pairing.people):
            tally = tallies[person]
            tally.points += worth(form.kind, result, place)
            if pairing.was_played:
                tally.games += 1
                if share(result.scores[place]) == 1:
                    tally.wins += 1
                    if result.margins is not None:
                        tally.margins.append(max(Fraction(1), Fraction(result.margins[place])))
    return tallies


def _rank(
    people: list[str],
    order: Sequence[str],
    measures: Mapping[str, Callable[[str], Fraction]],
    pairings: Sequence[Pairing],
) -> tuple[list[str], dict[str, dict[str, Fraction]]]:
    """``people`` by one measure after another, and what each measured of each; direct encounters are measured among
    those who are equal so far."""
    found: dict[str, dict[str, Fraction]] = {person: {} for person in people}
    groups: list[list[str]] = [people]
    for name in order:
        split: list[list[str]] = []
        for group in groups:
            values = (
                _direct(group, pairings) if name == "direct" else {person: measures[name](person) for person in group}
            )
            for person in group:
                found[person][name] = values[person]
            split += [
                [person for person in group if values[person] == value]
                for value in sorted(set(values.values()), reverse=True)
            ]
        groups = split
    return [person for group in groups for person in group], found


def _buchholz(
    pairings: Sequence[Pairing], points: Mapping[str, Fraction], seats: int, rounds: int
) -> Callable[[str], Fraction]:
    sums = dict.fromkeys(points, Fraction(0))
    so_far = dict.fromkeys(points, Fraction(0))
    for pairing in sorted(pairings, key=lambda pairing: (pairing.round, pairing.number)):
        assert pairing.result is not None
        for place, person in enumerate(pairing.people):
            own = share(pairing.result.scores[place])
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
            for place, person in enumerate(pairing.people):
                others = sum(points[other] for other in pairing.people if other != person)
                sums[person] += share(pairing.result.scores[place]) * others
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
