"""Schedules, matchings and rounds: nobody twice, seats and meetings balanced."""

import functools
import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tercet.play.tournaments import schedule
from tercet.play.tournaments.matching import cheapest_pairs
from tercet.play.tournaments.pairing import PATIENCE, pair_free, pair_round
from tercet.play.tournaments.results import Past
from tercet.play.tournaments.roundrobin import seat_group
from tests.support.refusals import refuses

pytestmark = pytest.mark.thorough


def cheapest_by_trying(count: int, costs: dict[tuple[int, int], int]) -> int | None:
    @functools.cache
    def least(rest: tuple[int, ...]) -> int | None:
        if not rest:
            return 0
        found = []
        for other in rest[1:]:
            if (rest[0], other) in costs:
                more = least(tuple(one for one in rest[1:] if one != other))
                if more is not None:
                    found.append(more + costs[rest[0], other])
        return min(found, default=None)

    return least(tuple(range(count)))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, dict[tuple[int, int], int]]:
    count = draw(st.sampled_from([2, 4, 6, 8, 10]))
    pairs = list(itertools.combinations(range(count), 2))
    top = draw(st.sampled_from([1, 5, 10**30]))
    return count, draw(st.dictionaries(st.sampled_from(pairs), st.integers(0, top), min_size=0, max_size=len(pairs)))


@settings(max_examples=300, deadline=None)
@given(graphs())
def test_no_matching_is_cheaper(graph: tuple[int, dict[tuple[int, int], int]]) -> None:
    count, costs = graph
    found = cheapest_pairs(count, costs)
    least = cheapest_by_trying(count, costs)
    if found is None:
        assert least is None
        return
    assert sorted(one for pair in found for one in pair) == list(range(count))
    assert sum(costs[pair] for pair in found) == least


def test_matchings_of_nobody_and_of_odd_numbers() -> None:
    assert cheapest_pairs(0, {}) == []
    assert cheapest_pairs(3, {(0, 1): 1, (1, 2): 1}) is None
    for wrong in ({(0, 1): -1}, {(1, 0): 1}):
        refuses(ValueError, "Costs", cheapest_pairs, 2, wrong)


class Tally(NamedTuple):
    """How often each pair of people meets, each person sits in each seat, and each sits out."""

    met: Counter[frozenset[int]]
    sat: Counter[tuple[int, int]]
    out: Counter[int]

    @classmethod
    def of(cls, rounds: Sequence[Sequence[tuple[int, ...]]], people: int, seats: int) -> Self:
        tally = cls(Counter(), Counter(), Counter())
        for tables in rounds:
            seated = [one for table in tables for one in table]
            assert len(seated) == len(set(seated)) == seats * (people // seats)
            tally.out.update(set(range(people)) - set(seated))
            for table in tables:
                tally.sat.update((one, seat) for seat, one in enumerate(table))
                tally.met.update(frozenset(pair) for pair in itertools.combinations(table, 2))
        assert len({tally.out[one] for one in range(people)}) == 1, "all sit out equally often"
        return tally

    def times(self, people: int) -> list[int]:
        return [self.met[frozenset(pair)] for pair in itertools.combinations(range(people), 2)]

    def uneven(self, person: int, seats: int) -> int:
        """Return how much more often a person had one seat than another."""
        sat = [self.sat[person, seat] for seat in range(seats)]
        return max(sat) - min(sat)


@pytest.mark.parametrize("people", range(2, 33))
def test_berger_tables(people: int) -> None:
    rounds = schedule(people, 2)
    assert len(rounds) == people - 1 + people % 2
    tally = Tally.of(rounds, people, 2)
    assert set(tally.times(people)) == {1}
    assert all(tally.uneven(one, 2) <= (people - 1) % 2 for one in range(people))


def test_berger_tables_are_those_of_the_handbook_and_exchange_the_seats() -> None:
    """For six, as FIDE's handbook prints them."""
    printed = ["1-6 2-5 3-4", "6-4 5-3 1-2", "2-6 3-1 4-5", "6-5 1-4 2-3", "3-6 4-2 5-1"]
    for tables, line in zip(schedule(6, 2), printed, strict=True):
        assert {f"{a + 1}-{b + 1}" for a, b in tables} == set(line.split())
    twice = schedule(5, 2, 2)
    assert len(twice) == 10
    ordered = Counter(table for tables in twice for table in tables)
    assert (set(ordered.values()), len(ordered)) == ({1}, 20)


@pytest.mark.parametrize("people", range(3, 25))
def test_threes_are_balanced(people: int) -> None:
    """Meetings, seats, and who sits after whom, as docs/tournaments.md promises."""
    rounds = schedule(people, 3)
    tally = Tally.of(rounds, people, 3)
    times = tally.times(people)
    if people in (10, 22):
        assert (min(times), max(times)) == (1, 3)
    elif people % 3 == 2:
        assert (min(times), max(times)) == (1, 2)
    else:
        assert set(times) == {{3: 6, 6: 4}.get(people, 2)}
    follows = Counter((table[seat], table[seat - 1]) for tables in rounds for table in tables for seat in range(3))
    uneven = [abs(follows[a, b] - follows[b, a]) for a, b in itertools.combinations(range(people), 2)]
    assert max(uneven) <= (0 if people in (3, 4, 6, 7, 9, 13, 15, 19, 21) else 2)
    assert all(tally.uneven(one, 3) <= (1 if people % 3 == 0 else 0) for one in range(people))


@pytest.mark.parametrize("seats", [4, 5, 6])
@pytest.mark.parametrize("people", [4, 5, 6, 7, 9, 12, 13, 16])
def test_more_at_a_table_meet_about_as_often_as_there_are_other_seats(people: int, seats: int) -> None:
    if people < seats:
        refuses(ValueError, "cannot play", schedule, people, seats)
        return
    rounds = schedule(people, seats)
    assert len(rounds) == (people - 1 if people % seats == 0 else people)
    tally = Tally.of(rounds, people, seats)
    times = tally.times(people)
    usual = (seats - 1) * (seats * (people // seats)) / people  # who sits out meets nobody
    assert usual - 2 < min(times) <= max(times) < usual + 2
    assert all(tally.uneven(one, seats) <= (2 if people % seats == 0 else 0) for one in range(people))


def test_too_few_people_have_no_schedule_and_running_ones_stay_what_they_are() -> None:
    """A tournament keeps no schedule but makes it anew: another one would change who is still to meet."""
    made = {f"{people}/{seats}": schedule(people, seats) for seats in (2, 3) for people in range(seats, 25)}
    assert hashlib.sha256(json.dumps(made).encode()).hexdigest()[:16] == "44ebfb566d8cdb83"
    for seats in (3, 1):
        refuses(ValueError, "cannot play", schedule, 2, seats)


def pasts_of(games: list[tuple[str, ...]], people: list[str]) -> dict[str, Past]:
    pasts = {person: Past() for person in people}
    for game in games:
        for seat, person in enumerate(game):
            others = [other for other in game if other != person]
            pasts[person].met.update(others)
            pasts[person].follows[game[seat - 1]] += 1
            pasts[person].sat.append(seat)
            pasts[person].last = frozenset(others)
    return pasts


def test_a_swiss_pairs_upper_and_lower_half_and_keeps_others_apart() -> None:
    people = list("abcdefgh")
    tables = pair_round(2, people, pasts_of([], people), 1)
    assert [set(table) for table in tables] == [set("ae"), set("bf"), set("cg"), set("dh")]
    people = list("abcd")
    pasts = pasts_of([("a", "b"), ("c", "d"), ("a", "c"), ("d", "b")], people)
    assert {frozenset(table) for table in pair_round(2, people, pasts, 1)} == {frozenset("ad"), frozenset("bc")}
    # Of the ten ways to part them, only the others than the one just played make few meet again.
    people = list("abcdefghi")
    pasts = pasts_of([tuple("abc"), tuple("def"), tuple("ghi")], people)
    for table in pair_round(3, people, pasts, 1):
        assert all(other not in pasts[one].met for one, other in itertools.combinations(table, 2))


def test_an_arena_pairs_neighbours_and_leaves_out_who_waited_least() -> None:
    people = list("abcde")
    pasts = pasts_of([], people)
    for number, person in enumerate(people):
        pasts[person].rested = 10_000 * (number + 1)
    tables = pair_free(2, people, pasts, True, 100_000)
    assert {frozenset(table) for table in tables} == {frozenset("ab"), frozenset("cd")}
    pasts["a"].rested = 99_000
    tables = pair_free(2, people, pasts, True, 100_000)
    assert {frozenset(table) for table in tables} == {frozenset("bc"), frozenset("de")}
    # An arena of many seats leaves out who is over.
    people = list("abcdefghijk")
    tables = pair_free(5, people, pasts_of([tuple("abcde")], people), False, 0)
    assert [len(table) for table in tables] == [5, 5]
    assert len(set().union(*tables)) == 10
    assert all(len(set(table) & set("abcde")) < 5 for table in tables)
    # An arena of three seats splits those who just met.
    people = list("abcdef")
    tables = pair_free(3, people, pasts_of([tuple("abc"), tuple("def")], people), False, 0)
    assert len(tables) == 2
    assert {frozenset(table) for table in tables} != {frozenset("abc"), frozenset("def")}
    # An arena waits before the same two meet again.
    people = list("ab")
    pasts = pasts_of([("a", "b")], people)
    for past in pasts.values():
        past.rested = 1_000
    assert pair_free(2, people, pasts, True, 2_000) == []
    assert pair_free(2, people, pasts, True, 1_000 + PATIENCE) == [("b", "a")]
    assert pair_free(2, people, pasts, False, 2_000) == [("b", "a")]


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_seats_go_round_those_who_meet_again_and_again(seats: int) -> None:
    people = list("abcdefg")[:seats]
    games: list[tuple[str, ...]] = []
    for _ in range(2 * seats):
        games.append(seat_group(people, pasts_of(games, people)))
    sat = Counter((person, seat) for game in games for seat, person in enumerate(game))
    assert {sat[person, seat] for person in people for seat in range(seats)} <= {1, 2, 3}
