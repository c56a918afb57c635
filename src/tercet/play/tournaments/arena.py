"""The pairings of an arena: each player who is free is paired with another of near rank who was not the last
opponent."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from tercet.play.tournaments.matching import cheapest_pairs
from tercet.play.tournaments.results import Past
from tercet.play.tournaments.roundrobin import seat_group, seat_two
from tercet.play.tournaments.swiss import pack

PATIENCE = 15_000  # milliseconds that people who have just met wait for another player to become free
AT_ONCE = 60  # people who are matched in one go; more are matched in slices of the standings
LONGEST = 600  # seconds of waiting that still make a difference
NEAREST = 12  # people from whom the others of a table of more than two are chosen


def pair_free(
    seats: int, free: Sequence[str], pasts: Mapping[str, Past], playing: bool, now: int
) -> list[tuple[str, ...]]:
    """Tables for as many of ``free`` (the best first) as go together, people in the order of their seats.

    Those who have just played each other are not put together again while others are ``playing`` who will be free,
    unless all of them have waited for :data:`PATIENCE`. Those who cannot be seated are the ones who have waited least.
    ``now`` is in milliseconds.
    """
    tables: list[tuple[str, ...]] = []
    for start in range(0, len(free), AT_ONCE):
        part = free[start : start + AT_ONCE]
        tables += _pairs(part, pasts, playing, now) if seats == 2 else _groups(seats, part, pasts, playing, now)
    return tables


def _waited(past: Past, now: int) -> int:
    return min(LONGEST, max(0, now - past.rested) // 1000)


def _may(people: Sequence[str], pasts: Mapping[str, Past], playing: bool, now: int) -> bool:
    again = all(pasts[one].last == frozenset(people) - {one} for one in people)
    return not (again and playing) or all(now - pasts[one].rested >= PATIENCE for one in people)


def _pairs(free: Sequence[str], pasts: Mapping[str, Past], playing: bool, now: int) -> list[tuple[str, ...]]:
    count = len(free)
    costs: dict[tuple[int, int], tuple[int, ...]] = {}
    for a, b in itertools.combinations(range(count), 2):
        one, other = free[a], free[b]
        near = (b - a) ** 2
        costs[a, b] = (
            int(not _may((one, other), pasts, playing, now)),
            0,
            int(other in pasts[one].last),
            near,
            abs(pasts[one].lead + pasts[other].lead),
        )
    if count % 2:
        for a, one in enumerate(free):
            costs[a, count] = (0, _waited(pasts[one], now), 0, 0, 0)
    whole = count + count % 2
    found = cheapest_pairs(whole, pack(costs, max(1, whole // 2)))
    assert found is not None, "anybody can meet anybody"
    return [seat_two(free[a], free[b], pasts) for a, b in sorted(found) if b < count and costs[a, b][0] == 0]


def _groups(
    seats: int, free: Sequence[str], pasts: Mapping[str, Past], playing: bool, now: int
) -> list[tuple[str, ...]]:
    """Group the players: the one who has waited longest gets the best opponents, and so on."""
    left = sorted(free, key=lambda one: -_waited(pasts[one], now))
    rank = {one: number for number, one in enumerate(free)}
    tables: list[tuple[str, ...]] = []

    def cost(group: tuple[str, ...]) -> tuple[int, int, int]:
        again = sum(b in pasts[a].last for a, b in itertools.permutations(group, 2))
        apart = sum((rank[a] - rank[b]) ** 2 for a, b in itertools.combinations(group, 2))
        return again, apart, sum(pasts[a].met[b] for a, b in itertools.combinations(group, 2))

    while len(left) >= seats:
        one = left.pop(0)
        near = sorted(left, key=lambda other: abs(rank[other] - rank[one]))[: max(NEAREST, seats - 1)]
        possible = [(one, *others) for others in itertools.combinations(near, seats - 1)]
        allowed = [group for group in possible if _may(group, pasts, playing, now)]
        if allowed:
            group = min(allowed, key=cost)
            tables.append(seat_group(group, pasts))
            left = [other for other in left if other not in group]
    return tables
