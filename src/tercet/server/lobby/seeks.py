"""Who is paired among the people who ask for a quick game: pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
RATING_RANGE = 150.0  # rating points that two people may differ by who have just come
RANGE_GROWTH = 15.0  # rating points that a person's range grows by in each second of waiting
MAX_CONSIDERED = 200  # seeks of a pool that are compared with each other


class Pool(NamedTuple):
    """What people who are paired agree on: the game, its time, and whether it is rated."""

    game: str
    time: str
    rated: bool


class Seek(NamedTuple):
    """A person who has waited ``since`` (seconds). ``rating`` is None without one: such a person suits everyone."""

    id: str
    person: str
    pool: Pool
    rating: float | None
    since: float
    network: str


def by_turns(things: Iterable[T], whose: Callable[[T], str], order: Callable[[T], Any]) -> list[T]:
    """Return the first of each owner's (``whose``) ``things`` in that ``order``, then the second of each, and so on;
    among equals in that order too."""
    before = Counter[str]()
    turns = {}
    for number, thing in enumerate(sorted(things, key=order)):
        turns[before[whose(thing)], number] = thing
        before[whose(thing)] += 1
    return [turns[turn] for turn in sorted(turns)]


def groups(
    seeks: Iterable[Seek], seats: Callable[[str], int], now: float, apart: Collection[frozenset[str]] = ()
) -> list[tuple[Seek, ...]]:
    """Return the groups that can begin to play, each with as many people as its game has ``seats``, the person whose
    turn it was first. Two people fit if each is within the other's range of ratings, which grows with the wait, and
    they are not kept ``apart``; of several that fit, the closest in rating are taken."""
    found = []
    for pool, together in groupby(sorted(seeks, key=lambda one: one.pool), lambda one: one.pool):
        waiting = by_turns(together, lambda one: one.network, lambda one: (one.since, one.id))[:MAX_CONSIDERED]
        while waiting:
            first = waiting.pop(0)
            group = [first]
            for other in sorted(waiting, key=lambda one: _distance(first, one)):
                if len(group) < seats(pool.game) and all(_fit(one, other, now, apart) for one in group):
                    group.append(other)
            if len(group) == seats(pool.game):
                found.append(tuple(group))
                waiting = [one for one in waiting if one not in group]
    return found


def _distance(one: Seek, other: Seek) -> float:
    return 0.0 if one.rating is None or other.rating is None else abs(one.rating - other.rating)


def _fit(one: Seek, other: Seek, now: float, apart: Collection[frozenset[str]]) -> bool:
    waited = now - max(one.since, other.since)
    close = _distance(one, other) <= RATING_RANGE + RANGE_GROWTH * waited
    return close and frozenset((one.person, other.person)) not in apart
