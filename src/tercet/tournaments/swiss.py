"""A round of a Swiss: everybody against somebody who has done as well so far and whom he has not met.

Two at a table: the pairing is the best there is by these criteria, the first deciding (a matching of least cost):
no two meet again; nobody sits out again; nobody's seats get more than two apart or are the same three times running;
who sits out has done least well; opponents have equal points; each has the seat he is due; and among equal points the
upper half meets the lower half, in order, as in the Dutch system.

Three at a table: such a matching is out of reach in general, so up to nine people are looked through completely and
more are exchanged between tables for as long as that makes anything better, from several starts.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

from tercet.tournaments.history import Past
from tercet.tournaments.matching import cheapest_pairs

__all__ = ["pack", "pair_round", "seat_three", "seat_two", "threes"]

UNIT = 60  # every share of a point is a whole number of these
COMPLETE = 9  # people of whom all ways to form threes are tried
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
    """The next round: tables in the order of their points, people in the order of their seats; one alone has a bye.

    ``ranked`` are those who play, the best first. Everybody is in exactly one of the tuples.
    """
    return _pairs(ranked, pasts) if seats == 2 else _triples(ranked, pasts, seed)


# Two at a table -----------------------------------------------------------------------------------------------------


def seat_two(a: str, b: str, pasts: Mapping[str, Past], board: int = 0) -> tuple[str, str]:
    """``a`` and ``b`` in the order of their seats: first sits who has had the first seat less often, then who sat
    second when they last sat differently, or last of all; where neither has played, ``a`` at every second board."""
    one, other = pasts[a], pasts[b]
    if one.lead != other.lead:
        return (a, b) if one.lead < other.lead else (b, a)
    for mine, his in zip(reversed(one.sat), reversed(other.sat), strict=False):
        if mine != his:
            return (a, b) if mine == 1 else (b, a)
    if one.sat:
        return (a, b) if one.sat[-1] == 1 else (b, a)
    return (a, b) if board % 2 == 0 else (b, a)


def _clash(past: Past, seat: int) -> int:
    """How bad it would be to give that seat: seats more than two apart, or the same a third time running."""
    lead = abs(past.lead + (1 if seat == 0 else -1))
    again = past.run >= 2 and past.sat[-1] == seat
    return 3 * max(0, lead - 2) ** 2 + int(again)


def _undue(past: Past, seat: int) -> int:
    """Whether he is due the other seat."""
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
        costs[a, b] = (
            pasts[ranked[a]].met[ranked[b]] ** 2,
            0,
            _clash(first, 0) + _clash(second, 1),
            0,
            (points[a] - points[b]) ** 2,
            _undue(first, 0) + _undue(second, 1),
            apart**2,
        )
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


# Three at a table ---------------------------------------------------------------------------------------------------


def _order_cost(order: Sequence[str], pasts: Mapping[str, Past]) -> int:
    """How unevenly seats, and who sits after whom, would be spread."""
    cost = 0
    for seat, person in enumerate(order):
        past = pasts[person]
        cost += 2 * past.times(seat) + 1 - 2 * (len(past.sat) // 3)
        cost += 2 * past.follows[order[seat - 1]]
    return cost + 3 * len(order)


def seat_three(people: Sequence[str], pasts: Mapping[str, Past]) -> tuple[str, ...]:
    """The three in the order of seats that spreads seats, and who sits after whom, most evenly."""
    return min(itertools.permutations(people), key=lambda order: _order_cost(order, pasts))


def _partitions(things: tuple[int, ...]) -> Iterator[list[tuple[int, int, int]]]:
    if not things:
        yield []
        return
    first, rest = things[0], things[1:]
    for b, c in itertools.combinations(rest, 2):
        for others in _partitions(tuple(thing for thing in rest if thing not in (b, c))):
            yield [(first, b, c), *others]


def threes(people: Sequence[str], pasts: Mapping[str, Past], seed: int) -> list[tuple[str, ...]]:
    """``people`` (a multiple of three, the best first) in threes: those who have met seldom, with near points."""
    points = [int(pasts[person].points * UNIT) for person in people]
    known: dict[frozenset[int], int] = {}

    def cost(three: Sequence[int]) -> int:
        key = frozenset(three)
        if key not in known:
            pairs = list(itertools.combinations(sorted(three), 2))
            again = sum(pasts[people[a]].met[people[b]] ** 2 for a, b in pairs)
            spread = sum((points[a] - points[b]) ** 2 for a, b in pairs)
            order = min(
                _order_cost([people[one] for one in each], pasts) for each in itertools.permutations(sorted(three))
            )
            apart = sum(b - a for a, b in pairs)
            known[key] = ((again * 10**9 + spread) * 10**4 + order) * 10**5 + apart
        return known[key]

    def total(tables: Sequence[Sequence[int]]) -> int:
        return sum(map(cost, tables))

    count = len(people)
    if count <= COMPLETE:
        best: Sequence[Sequence[int]] = min(_partitions(tuple(range(count))), key=total)
    else:
        chance = random.Random(seed)
        best = _exchange([list(range(start, start + 3)) for start in range(0, count, 3)], cost)
        for _ in range(max(1, 240 // count)):
            shaken = sorted(range(count), key=lambda number: number + chance.uniform(0, 6))
            made = _exchange([shaken[start : start + 3] for start in range(0, count, 3)], cost)
            if total(made) < total(best):
                best = made
    ordered = sorted((sorted(three) for three in best), key=lambda three: three)
    return [tuple(people[one] for one in three) for three in ordered]


def _exchange(tables: list[list[int]], price: Callable[[Sequence[int]], int]) -> list[list[int]]:
    """Exchange people between two tables for as long as that makes anything better."""
    for _ in range(PASSES):
        better = False
        for one, other in itertools.combinations(tables, 2):
            for i, j in itertools.product(range(3), range(3)):
                before = price(one) + price(other)
                one[i], other[j] = other[j], one[i]
                if price(one) + price(other) < before:
                    better = True
                else:
                    one[i], other[j] = other[j], one[i]
        if not better:
            break
    return tables


def _triples(ranked: Sequence[str], pasts: Mapping[str, Past], seed: int) -> list[tuple[str, ...]]:
    out = len(ranked) % 3
    resting = sorted(
        range(len(ranked)), key=lambda number: (pasts[ranked[number]].byes, pasts[ranked[number]].points, -number)
    )[:out]
    playing = [person for number, person in enumerate(ranked) if number not in resting]
    tables: list[tuple[str, ...]] = [seat_three(three, pasts) for three in threes(playing, pasts, seed)]
    return tables + [(ranked[number],) for number in sorted(resting)]
