"""The pairings of an arena and of a round of a Swiss.

In an arena each player who is free is paired with another of near rank who was not the last opponent. In a Swiss each
player meets a new opponent with a similar score. Two at a table: the pairing is the best there is by these criteria,
the first deciding (a matching of least cost).

1. No two meet again.
2. No one sits out again.
3. No one's seats get more than two apart or are the same three times running.
4. The player who sits out has the lowest score.
5. Opponents have equal points.
6. Each has the seat that is due.
7. Among equal points the upper half meets the lower half, in order, as in the Dutch system.

More at a table: such a matching is out of reach in general. Where there are few ways to part the people into groups
(up to nine people in threes, eight in fours), all are tried. More people are exchanged between tables, from several
starts, for as long as that makes anything better.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from tercet.play.tournaments.matching import cheapest_pairs
from tercet.play.tournaments.results import Past
from tercet.play.tournaments.roundrobin import order_cost, seat_group, seat_two

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
        paired = seats == 2
        tables += _possible_pairs(part, pasts, playing, now) if paired else _groups(seats, part, pasts, playing, now)
    return tables


def _waited(past: Past, now: int) -> int:
    return min(LONGEST, max(0, now - past.rested) // 1000)


def _may(people: Sequence[str], pasts: Mapping[str, Past], playing: bool, now: int) -> bool:
    again = all(pasts[one].last == frozenset(people) - {one} for one in people)
    return not (again and playing) or all(now - pasts[one].rested >= PATIENCE for one in people)


def _possible_pairs(free: Sequence[str], pasts: Mapping[str, Past], playing: bool, now: int) -> list[tuple[str, ...]]:
    count = len(free)
    costs: dict[tuple[int, int], tuple[int, ...]] = {}
    for a, b in itertools.combinations(range(count), 2):
        one, other = free[a], free[b]
        barred, again = int(not _may((one, other), pasts, playing, now)), int(other in pasts[one].last)
        costs[a, b] = (barred, 0, again, (b - a) ** 2, abs(pasts[one].lead + pasts[other].lead))
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


UNIT = 60  # shares of a point down to a sixth are whole numbers of these
COMPLETE = 300  # ways to part people into groups that are all tried
PASSES = 60
NEAR = 32  # of many people only those are considered who stand so near, or so near to opposite in the two halves


def pack(costs: Mapping[tuple[int, int], tuple[int, ...]], pairs: int) -> dict[tuple[int, int], int]:
    """Costs of several criteria, the first deciding, as single numbers whose sums over ``pairs`` pairs compare so."""
    if not costs:
        return {}
    most = [max(each) for each in zip(*costs.values(), strict=True)]
    factors = [1]
    for highest in reversed(most[1:]):
        factors.append(factors[-1] * (highest * pairs + 1))
    factors.reverse()
    return {
        pair: sum(cost * factor for cost, factor in zip(each, factors, strict=True)) for pair, each in costs.items()
    }


def pair_round(seats: int, ranked: Sequence[str], pasts: Mapping[str, Past], seed: int) -> list[tuple[str, ...]]:
    """Return the next round: tables by points, people by seats; one alone has a bye.

    ``ranked`` are those who play, the best first. Everybody is in exactly one of the tuples.
    """
    return _pairs(ranked, pasts) if seats == 2 else _tables(seats, ranked, pasts, seed)


# Two at a table -----------------------------------------------------------------------------------------------------


def _clash(past: Past, seat: int) -> int:
    """Return the cost of that seat: seats more than two apart, or the same one a third time running."""
    lead = abs(past.lead + (1 if seat == 0 else -1))
    again = past.streak >= 2 and past.sat[-1] == seat
    return 3 * max(0, lead - 2) ** 2 + int(again)


def _undue(past: Past, seat: int) -> int:
    """Return whether the other seat is due."""
    due = (past.lead > 0) - (past.lead < 0)
    if due == 0 and past.sat:
        due = 1 if past.sat[-1] == 0 else -1
    return int(due == (1 if seat == 0 else -1))


def _pairs(ranked: Sequence[str], pasts: Mapping[str, Past]) -> list[tuple[str, ...]]:
    count = len(ranked)
    points = [int(pasts[person].points * UNIT) for person in ranked]
    place = [points[: number + 1].count(points[number]) - 1 for number in range(count)]
    size = [points.count(mine) for mine in points]
    least = min(points, default=0)
    costs: dict[tuple[int, int], tuple[int, ...]] = {}
    for a, b in itertools.combinations(range(count), 2):
        if b - a > NEAR and abs(place[b] - place[a] - size[a] // 2) > NEAR:
            continue
        first, second = (pasts[person] for person in seat_two(ranked[a], ranked[b], pasts))
        apart = abs(place[b] - place[a] - size[a] // 2) if points[a] == points[b] else place[b] + size[a] - place[a]
        again, uneven = pasts[ranked[a]].met[ranked[b]] ** 2, (points[a] - points[b]) ** 2
        clash, undue = _clash(first, 0) + _clash(second, 1), _undue(first, 0) + _undue(second, 1)
        costs[a, b] = (again, 0, clash, 0, uneven, undue, apart**2)
    if count % 2:
        for a, person in enumerate(ranked):
            costs[a, count] = (0, pasts[person].byes ** 2, 0, (points[a] - least) ** 2, 0, 0, (count - a) ** 2)
    whole = count + count % 2
    found = cheapest_pairs(whole, pack(costs, whole // 2))
    assert found is not None, "anybody can meet anybody"
    ordered = sorted(found, key=lambda pair: (pair[1] == count, -points[pair[0]], pair[0]))
    return [
        seat_two(ranked[a], ranked[b], pasts, board) if b < count else (ranked[a],)
        for board, (a, b) in enumerate(ordered)
    ]


# More at a table ----------------------------------------------------------------------------------------------------


def _tables(seats: int, ranked: Sequence[str], pasts: Mapping[str, Past], seed: int) -> list[tuple[str, ...]]:
    """Tables of ``seats``; first it is settled who sits out: who has done so least often, then least well."""
    out = len(ranked) % seats
    resting = sorted(
        range(len(ranked)), key=lambda number: (pasts[ranked[number]].byes, pasts[ranked[number]].points, -number)
    )[:out]
    playing = [person for number, person in enumerate(ranked) if number not in resting]
    tables: list[tuple[str, ...]] = [seat_group(group, pasts) for group in groups(seats, playing, pasts, seed)]
    return tables + [(ranked[number],) for number in sorted(resting)]


def groups(size: int, people: Sequence[str], pasts: Mapping[str, Past], seed: int) -> list[tuple[str, ...]]:
    """``people`` (a multiple of ``size``, the best first) in groups of so many who have met seldom and whose points are
    near. The same ``seed`` gives the same groups."""
    cost = _group_cost(people, pasts)

    def total(tables: Sequence[Sequence[int]]) -> int:
        return sum(map(cost, tables))

    count = len(people)
    if _ways(count, size) <= COMPLETE:
        best: Sequence[Sequence[int]] = min(_partitions(tuple(range(count)), size), key=total)
    else:
        chance = random.Random(seed)
        best = _exchange([list(range(start, start + size)) for start in range(0, count, size)], cost)
        for _ in range(max(1, 240 // count)):
            shaken = sorted(range(count), key=lambda number: number + chance.uniform(0, 6))
            made = _exchange([shaken[start : start + size] for start in range(0, count, size)], cost)
            if total(made) < total(best):
                best = made
    ordered = sorted(sorted(group) for group in best)
    return [tuple(people[one] for one in group) for group in ordered]


def _group_cost(people: Sequence[str], pasts: Mapping[str, Past]) -> Callable[[Sequence[int]], int]:
    """Return the cost of a group: repeated meetings, then differences in points, uneven seats, differences in place."""
    points = [int(pasts[person].points * UNIT) for person in people]
    known: dict[frozenset[int], int] = {}

    def cost(group: Sequence[int]) -> int:
        key = frozenset(group)
        if key not in known:
            pairs = list(itertools.combinations(sorted(group), 2))
            again = sum(pasts[people[a]].met[people[b]] ** 2 for a, b in pairs)
            spread = sum((points[a] - points[b]) ** 2 for a, b in pairs)
            order = order_cost(seat_group([people[one] for one in sorted(group)], pasts), pasts)
            apart = sum(b - a for a, b in pairs)
            known[key] = ((again * 10**9 + spread) * 10**4 + order) * 10**5 + apart
        return known[key]

    return cost


def _ways(count: int, size: int) -> int:
    """Return in how many ways ``count`` people can be divided into groups of ``size``."""
    tables = count // size
    within = math.prod([math.factorial(size)] * tables)
    return math.factorial(count) // (within * math.factorial(tables))


def _partitions(people: tuple[int, ...], size: int) -> Iterator[list[tuple[int, ...]]]:
    if not people:
        yield []
        return
    first, rest = people[0], people[1:]
    for others in itertools.combinations(rest, size - 1):
        for more in _partitions(tuple(one for one in rest if one not in others), size):
            yield [(first, *others), *more]


def _exchange(tables: list[list[int]], price: Callable[[Sequence[int]], int]) -> list[list[int]]:
    """Exchange people between two tables for as long as that makes anything better."""
    for _ in range(PASSES):
        better = False
        for one, other in itertools.combinations(tables, 2):
            for i, j in itertools.product(range(len(one)), range(len(other))):
                before = price(one) + price(other)
                one[i], other[j] = other[j], one[i]
                if price(one) + price(other) < before:
                    better = True
                else:
                    one[i], other[j] = other[j], one[i]
        if not better:
            break
    return tables
