"""Schedules of all against all, and the play-off of the form by margins.

Two at a table: Berger's tables. Each meets each once. With an even number of people, a player has one seat at most once
more often than the other; with an odd number, both equally often, and each sits out once.

Three at a table: as many rounds as for two. Every two people meet *twice*, once with one sitting after the other and
once the other way round, and all have each seat equally often. Such schedules are Mendelsohn triple systems in rounds,
made by turning one round on a circle: where the differences between people who sit one after another are all different,
every ordered pair follows exactly once. For some numbers no circle can do this; there some two meet once (or, of 10 or
22, three times), or in one order only.

More at a table: no such systems are known in general, so the circle is turned with a round whose differences are as
even as a search finds: every two people meet about as often as there are other seats at a table.

In a play-off of two at a table the first meets the fourth and the second the third, then the winners meet, and the
losers. With more at a table, of one person more than seats, one of them sits out each game.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from tercet.core.rules import plain
from tercet.play.tournaments.results import Pairing, Past, share

FAR_APART = 1000  # the cost if a player's seats get more than two apart: more than all else together
ALL_ORDERS = 4  # seats up to which all orders are tried; of more, two people are exchanged while that helps


def seat_two(a: str, b: str, pasts: Mapping[str, Past], board: int = 0) -> tuple[str, str]:
    """Return ``a`` and ``b`` in the order of their seats. First sits who has had the first seat less often; then who
    sat second when they last sat differently, or last of all. Where neither has played, ``a`` sits first at every
    second board."""
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


Table = tuple[int, ...]
Schedule = tuple[tuple[Table, ...], ...]
STARTS, EXCHANGES = 6, 700  # of the search where no circle is perfect
PASSES = 12


@functools.lru_cache(maxsize=128)
def schedule(people: int, seats: int, cycles: int = 1) -> Schedule:
    """Rounds of tables of the numbers 0 to ``people`` - 1, in the order of their seats; people at none sit out.

    Each cycle changes the seats of the one before: exchanged for two, moved on for more. ValueError for fewer people
    than seats, or fewer than two seats.
    """
    people, seats, cycles = plain(people), plain(seats), plain(cycles)
    if people < seats or seats < 2:
        raise ValueError(f"{people} people cannot play at tables of {seats}.")
    once = _berger(people) if seats == 2 else _triples(people) if seats == 3 else _circle(people, seats)
    return tuple(
        tuple(tuple(table[(seat + cycle) % seats] for seat in range(seats)) for table in tables)
        for cycle in range(cycles)
        for tables in once
    )


def _berger(people: int) -> Schedule:
    """Berger's tables: the last one stays, the others turn by half; with an odd number the last is a bye."""
    count = people + people % 2
    fixed, ring = count - 1, count - 1
    rounds = []
    for number in range(ring):
        turn = number * (count // 2) % ring
        tables = [(turn, fixed) if number % 2 == 0 else (fixed, turn)]
        tables += [((turn + step) % ring, (turn - step) % ring) for step in range(1, count // 2)]
        rounds.append(tuple(table for table in tables if people > max(table)))
    return tuple(rounds)


# Three at a table ---------------------------------------------------------------------------------------------------


def _triples(people: int) -> Schedule:
    if people == 3:  # two games cannot even out three seats: all six orders
        return tuple((order,) for order in itertools.permutations(range(3)))
    if people == 4:  # the field of four elements does what a circle of four cannot
        return _even_seats(tuple((tuple(one ^ turn for one in (1, 2, 3)),) for turn in range(4)))
    if people == 6:  # there is no such system: all ten ways to part six in two threes, so that all meet four times
        pairs = itertools.combinations(range(1, 6), 2)
        rounds = tuple(((0, *pair), tuple(one for one in range(1, 6) if one not in pair)) for pair in pairs)
        return _even_seats(_even_follows(rounds))
    return _circle(people, 3)


def _perfect(ring: int, fixed: int | None) -> list[Table] | None:
    """Return a round with all differences different, by backtracking; None where there is none."""
    # The differences of a three add up to 0 and those of the fixed one's three do not: all of them together say
    # whether that can be.
    together = ring * (ring - 1) // 2 % ring
    fits = ring % 3 == (1 if fixed is None else 2)
    if not fits or (together == 0) == (fixed is not None):
        return None

    def search(free: list[int], used: set[int]) -> list[Table] | None:
        if not free:
            return []
        first = free[0]
        for b, c in itertools.permutations(free[1:], 2):
            new = set(_follows((first, b, c), ring, None))
            if len(new) == 3 and not new & used:
                rest = search([one for one in free[1:] if one not in (b, c)], used | new)
                if rest is not None:
                    return [(first, b, c), *rest]
        return None

    if fixed is None:
        return search(list(range(1, ring)), set())
    rest = search([one for one in range(1, ring) if one != together], {together})
    return None if rest is None else [(fixed, 0, together), *rest]


def _even_follows(rounds: Schedule) -> Schedule:
    """Turn some threes the other way round, so that of any two players each sits after the other equally often."""

    def cost(tables: Sequence[Table]) -> int:
        follows = Counter((each[index], each[index - 1]) for each in tables for index in range(3))
        return sum((times - follows[b, a]) ** 2 for (a, b), times in follows.items())

    return _improve(rounds, lambda each: (each[::-1],), cost)


# A round turned round a circle --------------------------------------------------------------------------------------


def _circle(people: int, seats: int) -> Schedule:
    """Return as many rounds as there are people on the circle. If the tables take all players, one of them stays in the
    middle of it; otherwise some sit out."""
    ring = people - 1 if people % seats == 0 else people
    fixed = people - 1 if people % seats == 0 else None
    found = _perfect(ring, fixed) if seats == 3 else None
    starter = found if found is not None else _nearly(ring, fixed, seats)

    def turned(one: int, turn: int) -> int:
        return one if one == fixed else (one + turn) % ring

    rounds = tuple(tuple(tuple(turned(one, turn) for one in each) for each in starter) for turn in range(ring))
    return _even_seats(rounds)


def _follows(each: Table, ring: int, fixed: int | None) -> tuple[int, ...]:
    """Return by how much each player is further round the circle than the one before at the table. Turned round the
    circle, a player who is d further on follows as often as d is among them."""
    if each[0] == fixed:
        return tuple((after - before) % ring for before, after in itertools.pairwise(each[1:]))
    return tuple((each[(index + 1) % len(each)] - each[index]) % ring for index in range(len(each)))


def _apart(each: Table, ring: int, fixed: int | None) -> Iterator[int]:
    """Yield the distances round the circle, either way, between those who sit opposite: neither one after the other."""
    for a, b in itertools.combinations(range(len(each)), 2):
        if b - a not in (1, len(each) - 1) and each[a] != fixed:
            yield (each[b] - each[a]) % ring
    if each[0] == fixed and len(each) > 3:  # in the neighbours' circle the first and the last are no neighbours
        yield (each[-1] - each[1]) % ring


def _nearly(ring: int, fixed: int | None, seats: int) -> list[Table]:
    """Return a round for a circle of ``ring`` people (and a ``fixed`` one in its middle) whose differences are as even
    as some thousand exchanges, restarted some times, can make them."""
    chance = random.Random(ring)

    def cut(around: Sequence[int]) -> list[Table]:
        tables: list[Table] = []
        if fixed is not None:
            tables.append((fixed, *around[: seats - 1]))
            around = around[seats - 1 :]
        return tables + [tuple(around[at : at + seats]) for at in range(0, len(around) - seats + 1, seats)]

    def cost(around: Sequence[int]) -> int:
        tables = cut(around)
        follows = Counter(d for each in tables for d in _follows(each, ring, fixed))
        apart = Counter(d for each in tables for d in _apart(each, ring, fixed))
        total = 0
        for d in range(1, ring // 2 + 1):
            there, back = follows[d], follows[ring - d]
            meetings = there + back + apart[d] + apart[ring - d]
            total += 9 * (meetings - (seats - 1)) ** 2 + (there - back) ** 2
        return total

    best = list(range(ring))
    least = cost(best)
    for _ in range(STARTS):
        around = chance.sample(range(ring), ring)
        now = cost(around)
        for _ in range(EXCHANGES):
            a, b = chance.sample(range(ring), 2)
            around[a], around[b] = around[b], around[a]
            then = cost(around)
            if then <= now or chance.random() < 0.002:
                now = then
            else:
                around[a], around[b] = around[b], around[a]
            if now < least:
                best, least = list(around), now
    return cut(best)


def _even_seats(rounds: Schedule) -> Schedule:
    """Rotate the seats of some tables, so that each player has each seat equally often."""

    def cost(tables: Sequence[Table]) -> int:
        sat = Counter((one, seat) for each in tables for seat, one in enumerate(each))
        return sum(times * times for times in sat.values())

    return _improve(rounds, lambda each: [each[by:] + each[:by] for by in range(1, len(each))], cost)


def _improve(
    rounds: Schedule, others: Callable[[Table], Sequence[Table]], cost: Callable[[Sequence[Table]], int]
) -> Schedule:
    """Put tables in one of their other ways, one after another, for as long as the cost does not rise; some times over
    the whole schedule, beginning anywhere."""
    chance = random.Random(len(rounds))
    tables = [each for tables in rounds for each in tables]
    now = cost(tables)
    for _ in range(PASSES):
        for number in chance.sample(range(len(tables)), len(tables)):
            kept = tables[number]
            for other in others(kept):
                tables[number] = other
                then = cost(tables)
                if then <= now:
                    now, kept = then, other
            tables[number] = kept
    whole = iter(tables)
    return tuple(tuple(next(whole) for _ in each) for each in rounds)


BRACKET = 4  # who play off in pairs


def qualified(seats: int, ranked: Sequence[str]) -> list[str]:
    """Return who of ``ranked`` (the remaining players, best first) play off: four in pairs, or one more than there are
    seats; if there are fewer, as many as sit at one table."""
    wanted = BRACKET if seats == 2 else seats + 1
    return list(ranked[:wanted] if len(ranked) >= wanted else ranked[:seats])


def play_off_round(
    number: int, seats: int, best: Sequence[str], played: Sequence[Pairing], pasts: Mapping[str, Past]
) -> list[tuple[str, ...]]:
    """Return the tables of round ``number`` (from 1) of the play-off among ``best``; none where it is over. ``played``
    are its pairings so far."""
    if len(best) < seats:
        return []
    if seats > 2:
        return _group_round(number, seats, best)
    if len(best) < BRACKET:
        return [seat_two(best[0], best[1], pasts)] if number == 1 else []
    pairs = [(best[0], best[3]), (best[1], best[2])]
    if number == 2:
        winners, losers = zip(*(_decided(a, b, played) for a, b in pairs), strict=True)
        pairs = [winners, losers]
    return [seat_two(a, b, pasts) for a, b in pairs] if number <= 2 else []


def _group_round(number: int, seats: int, best: Sequence[str]) -> list[tuple[str, ...]]:
    if len(best) == seats:
        return [tuple(best)] if number == 1 else []
    games = [table for tables in schedule(len(best), seats) for table in tables]
    games.sort(key=lambda table: sum(table))  # who is placed last sits out first
    return [tuple(best[one] for one in games[number - 1])] if number <= len(games) else []


def _decided(better: str, other: str, played: Sequence[Pairing]) -> tuple[str, str]:
    """Winner and loser of a game of the play-off; of a draw the better placed goes on."""
    for pairing in played:
        if set(pairing.people) == {better, other} and pairing.result:
            mine = pairing.result.scores[pairing.people.index(better)]
            theirs = pairing.result.scores[pairing.people.index(other)]
            return (better, other) if mine >= theirs else (other, better)
    return better, other


def play_off_places(seats: int, best: Sequence[str], played: Sequence[Pairing]) -> dict[str, int]:
    """Return the place of each who has played off, from 1, as far as it is settled."""
    if seats > 2:
        won = dict.fromkeys(best, Fraction(0))
        for pairing in played:
            if pairing.result is not None:
                for person, score in zip(pairing.people, pairing.result.scores, strict=True):
                    won[person] += share(score)
        order = sorted(best, key=lambda person: (-won[person], best.index(person)))
    elif len(best) < BRACKET:
        order = list(_decided(best[0], best[1], played))
    else:
        halves = [_decided(best[0], best[3], played), _decided(best[1], best[2], played)]
        winners, losers = zip(*halves, strict=True)
        order = []
        for better, other in (sorted(winners, key=best.index), sorted(losers, key=best.index)):
            order += _decided(better, other, played)
    return {person: place for place, person in enumerate(order, 1)}
