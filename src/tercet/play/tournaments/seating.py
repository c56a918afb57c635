"""Seating: everybody gets each seat, and each neighbour, about as often."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from tercet.play.tournaments.history import Past

__all__ = ["order_cost", "seat_group", "seat_two"]

FAR_APART = 1000  # the cost if a player's seats get more than two apart: more than all else together
ALL_ORDERS = 4  # seats up to which all orders are tried; of more, two people are exchanged while that helps


def seat_two(a: str, b: str, pasts: Mapping[str, Past], board: int = 0) -> tuple[str, str]:
    """``a`` and ``b`` in the order of their seats: first sits who has had the first seat less often, then who sat
    second when they last sat differently, or last of all; where neither has played, ``a`` at every second board."""
    one, other = pasts[a], pasts[b]
    if one.lead != other.lead:
        return (a, b) if one.lead < other.lead else (b, a)
    for mine, theirs in zip(reversed(one.sat), reversed(other.sat), strict=False):
        if mine != theirs:
            return (a, b) if mine == 1 else (b, a)
    if one.sat:
        return (a, b) if one.sat[-1] == 1 else (b, a)
    return (a, b) if board % 2 == 0 else (b, a)


def order_cost(order: Sequence[str], pasts: Mapping[str, Past]) -> int:
    """Return how uneven seats and neighbours would be if they sat in this order."""
    seats = len(order)
    cost = 0
    for seat, person in enumerate(order):
        past = pasts[person]
        times = past.times(seat)
        cost += 2 * times + 1 - 2 * (len(past.sat) // seats)
        if times > 1 and times + 1 - min(past.times(other) for other in range(seats)) > 2:
            cost += FAR_APART
        cost += 2 * past.follows[order[seat - 1]]
    return cost + 3 * seats


def seat_group(people: Sequence[str], pasts: Mapping[str, Past]) -> tuple[str, ...]:
    """``people`` in the order of seats that spreads seats, and who sits after whom, most evenly."""
    if len(people) <= ALL_ORDERS:
        return min(itertools.permutations(people), key=lambda order: order_cost(order, pasts))
    best = tuple(people)
    least = order_cost(best, pasts)
    better = True
    while better:
        better = False
        for i, j in itertools.combinations(range(len(people)), 2):
            trial = list(best)
            trial[i], trial[j] = trial[j], trial[i]
            cost = order_cost(trial, pasts)
            if cost < least:
                best, least, better = tuple(trial), cost, True
    return best
