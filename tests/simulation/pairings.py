"""Who must meet whom in a round of a tournament of two at a table: Berger's tables as they are printed, or the best of
all pairings by the criteria of a Swiss, each of which is tried."""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tests.simulation.plan import GAMES, Cup
from tests.simulation.scores import Meeting, standings

BERGER = {  # by the number of places; who has the last of them alone, with an odd number of people, sits out
    2: ("12",),
    4: ("14 23", "43 12", "24 31"),
    6: ("16 25 34", "64 53 12", "26 31 45", "65 14 23", "36 42 51"),
}
MINUTES = 0.2  # of an arena
Pairs = list[tuple[str, ...]]


def rounds_of(form: str, entrants: int) -> int:
    """How many rounds there are by default."""
    if form == "arena":
        return 0
    if form == "round-robin":
        return len(BERGER[entrants + entrants % 2])
    usual = min(math.ceil(math.log2(entrants)) + 1, (entrants + 1) // 2)
    return min(usual, entrants if entrants % 2 else entrants - 1)


def wrong_page(cup: Cup, told: dict[str, Any], number: int, before: Known, now: Known) -> str:
    """What is wrong with what entrant ``number`` (0: the organiser) is shown of a tournament whose pairings were
    ``before`` it was asked for, and are ``now``; empty where it is right."""
    if not cup.is_plain:
        points = Counter[str]()
        for pairing in told["pairings"]:
            for who, score in zip(pairing["people"], (pairing["result"] or {"scores": ()})["scores"], strict=False):
                points[who["handle"]] += score
        lines = told["standings"] if cup.form != "best-margin" else []
        wrong = [f"{one} has {points}" for one in lines if abs(points[one["handle"]] - one["points"]) > 0.01]
        return "; ".join([*wrong, *(["ranks"] if lines != sorted(lines, key=lambda one: -one["points"]) else [])])
    handle, is_over, pairings = f"player{number}", told["state"] == "over", told["pairings"]
    open_ = [one for one in pairings if told["state"] == "running" and not one["result"]]
    plays = {who["handle"]: one["table"] for one in open_ for who in one["people"]}
    mine = [one["table"] for one in open_ if one["table"] and any(who["handle"] == handle for who in one["people"])]
    game, options, _ = GAMES[cup.table.game]
    should = dict.fromkeys(("hours", "begins")) | {"cycles": 1, "creator": "P0", "name": "a cup", "prize": "a prize"}
    should |= {"form": cup.form, "game": game, "options": {**told["options"], **options}, "rated": cup.table.rated}
    should |= {"clock": {"kind": "turn", "seconds": cup.table.turn}, "wait": 60 if cup.missing is None else 5}
    should |= {"minutes": MINUTES if cup.form == "arena" else None, "entrants": len(told["standings"])}
    should |= {
        "round": max((one["round"] for one in pairings), default=0),
        "rounds": rounds_of(cup.form, len(told["standings"])) or None,
        "calledOff": told["calledOff"] and "organiser" if cup.off is not None and is_over else None,
        "may": ["call-off"] if number == 0 and not is_over else [],
    }
    should |= {"yours": number == 0, "yourTables": mine, "yourTable": mine[-1] if mine else None}
    wrong = [f"{name} is {told[name]}, not {value}" for name, value in should.items() if told[name] != value]
    wrong += [f"{one} plays now" for one in told["standings"] if one["playing"] != plays.get(one["handle"])]
    mine = [one for one in told["standings"] if not told["you"].items() <= one.items()]
    wrong += [f"you are {told['you']}"] if len(mine) != len(told["standings"]) - 1 else []
    wrong += [f"{one} is a bye" for one in pairings if one["bye"] != (len(one["people"]) == 1) or one["playOff"]]
    shown = {one["number"]: one for one in pairings}
    for (_, place), known in now.items():
        one, was = shown.get(place), before.get((_, place))
        if one is None or was is None:
            wrong += [f"{was} is missing"] if was is not one and was is not None else []
            continue
        at = next(({"at": end["at"]} for end in (known[2], was[2]) if end), {})
        people = [f"{int(who['handle'].removeprefix('player')):024d}" for who in one["people"]]
        has = people, one["table"], one["result"] and {**one["result"], **at}
        wrong += [f"{one} is paired"] if any(a not in (b, c) for a, b, c in zip(has, was, known, strict=True)) else []
    return "; ".join(wrong)


def wrong_tables(cup: Cup, seeds: Sequence[str], free: set[str], earlier: Sequence[Meeting], now: Pairs) -> str:
    """What is wrong with tables of a tournament with three at a table or a play-off that were made ``now``; empty where
    nothing is. Schedules of threes are even: no two meet more often than they must, nor in one order of seats."""
    number, seats = max((one.round for one in earlier), default=0), GAMES[cup.table.game][2]
    people, free = [person for table in now for person in table], free if cup.form == "swiss" else set(seeds)
    if len(set(people)) < len(people) or not free >= set(people) or any(len(one) not in (1, seats) for one in now):
        return f"of {free} they should be at tables of {seats}"
    rounds = len(BERGER[len(seeds) + len(seeds) % 2])
    if cup.form == "best-margin" and number < rounds:
        return wrong_pairs("round-robin", seeds, free, earlier, now, 0)
    decided = [one for one in earlier if one.round == number and len(set(one.scores)) > 1]
    last = {person: score for one in decided for person, score in zip(one.people, one.scores, strict=True)}
    if cup.form == "best-margin" and number > rounds and len(people) == 4 and set(last) == set(people):
        return "" if all(last[one] == last[other] for one, other in now) else f"those with {last} should meet"
    tables = [*(one.people for one in earlier), *now]
    sat_out = {person: sum(table == (person,) for table in tables) for person in free}
    if cup.form == "swiss":
        missing = free - set(people)
        return f"{missing} should play" if missing or max(sat_out.values()) > 1 + min(sat_out.values()) else ""
    most = {3: (3, 2), 4: (1, 1), 5: (2, 2), 6: (2, 4)}.get(len(seeds))
    after = Counter((table[at - 1], person) for table in tables if table[1:] for at, person in enumerate(table))
    sat = Counter((at, person) for table in tables if table[1:] for at, person in enumerate(table))
    is_even = most is None or seats == 2 or (max(after.values()) <= most[0] and max(sat.values()) <= most[1])
    return "" if is_even else f"{after} follow each other, and they had the seats {sat}"


Known = dict[tuple[str, int], tuple[list[str], str | None, Any]]  # pairings: who, at which table, with which result


def wrong_pairs(
    form: str, seeds: Sequence[str], free: set[str], earlier: Sequence[Meeting], now: Pairs, at: float
) -> str:
    """What is wrong with pairings that were made ``now``, about ``at`` (milliseconds), of those of ``seeds`` (in the
    order of their starting numbers) who are ``free``; empty where they are right."""
    number = max((one.round for one in earlier), default=0)
    if form == "round-robin":
        people = dict(enumerate(seeds, 1))
        tables = [[people.get(int(place)) for place in table] for table in _berger(len(seeds))[number].split()]
        should = [sorted((tuple(filter(None, table)) for table in tables), key=lambda one: len(one) == 1)]
        return "" if now in should else f"they should be {should[0]}"
    ranked = [one["handle"] for one in standings(form, seeds, earlier, number)] if earlier else seeds
    ranked = [person for person in ranked if person in free]
    past = {person: _past(person, earlier) for person in seeds}
    is_arena, busy = form == "arena", any(one.at is None for one in earlier)
    should = []
    for late in range(0, 2001, 250) if is_arena else (0,):  # the database has been slower than the decision
        cost = functools.partial(_cost_now, at=int(at) - late, busy=busy) if is_arena else _cost
        ways = {tuple(way): [cost(pair, ranked, past) for pair in way] for way in _ways(ranked)}
        total = {way: tuple(map(sum, zip(*costs, strict=True))) for way, costs in ways.items()}
        for way in [way for way in ways if total[way] == min(total.values())]:
            costs = zip(way, ways[way], strict=True)
            barred = [pair for pair, (first, *_) in costs if is_arena and (first or pair[1:] == ())]
            made = sorted(
                (pair for pair in way if pair not in barred),
                key=lambda one: (len(one) == 1, is_arena or -past[one[0]].points, ranked.index(one[0])),
            )
            should.append([_seated(one, past, 0 if is_arena else board) for board, one in enumerate(made)])
    return "" if now in should else f"they should be one of {should[:3]}"


def _berger(people: int) -> tuple[str, ...]:
    return BERGER[people + people % 2]


class _Past(NamedTuple):
    """What one person has had so far: ``points`` in sixtieths, the opponents and seats in order, and how often they sat
    out."""

    points: int
    met: tuple[str, ...]
    sat: tuple[int, ...]
    byes: int
    rested: int  # when the last game ended, in milliseconds

    @property
    def lead(self) -> int:
        """How often they sat first more than second."""
        return self.sat.count(0) - self.sat.count(1)


def _past(person: str, earlier: Sequence[Meeting]) -> _Past:
    mine = [(one, one.people.index(person)) for one in earlier if person in one.people]
    played = [(one, seat) for one, seat in mine if one.played]
    points = sum(int(60 * one.scores[seat]) for one, seat in mine)
    met = tuple(one.people[1 - seat] for one, seat in played)
    rested = max((one.at or 0 for one, _ in mine), default=0)
    return _Past(points, met, tuple(seat for _, seat in played), sum(len(one.people) == 1 for one, _ in mine), rested)


def _ways(people: Sequence[str]) -> Iterator[Pairs]:
    """All ways to put people into pairs; with an odd number one of them sits out."""
    if not people:
        yield []
        return
    first, rest = people[0], list(people[1:])
    for other in rest:
        for more in _ways([one for one in rest if one != other]):
            yield [(first, other), *more]
    if len(people) % 2:
        for more in _ways(rest):
            yield [(first,), *more]


def _seated(pair: tuple[str, ...], past: dict[str, _Past], board: int = 0) -> tuple[str, ...]:
    """The better one comes first in ``pair``. First sits who has sat there less often; then who sat second when the two
    last sat differently, or last of all; at every second board the other one, where nobody has sat."""
    if len(pair) == 1:
        return pair
    one, other = (past[who] for who in pair)
    if one.lead != other.lead:
        return pair if one.lead < other.lead else pair[::-1]
    back = [mine for mine, theirs in zip(one.sat[::-1], other.sat[::-1], strict=False) if mine != theirs]
    last = [*back, *one.sat[-1:]]
    return pair if (last[0] == 1 if last else board % 2 == 0) else pair[::-1]


def _cost(pair: tuple[str, ...], ranked: Sequence[str], past: dict[str, _Past]) -> tuple[int, ...]:
    """What speaks against a pair in a Swiss, by the criteria of the documentation in their order."""
    points = [past[person].points for person in ranked]
    me, it, first = past[pair[0]], past[pair[-1]], ranked.index(pair[0])
    if len(pair) == 1:
        return 0, me.byes**2, 0, (me.points - min(points)) ** 2, 0, 0, (len(ranked) - first) ** 2
    size, place = points.count(me.points), points[:first].count(me.points)
    apart = points[: ranked.index(pair[1])].count(it.points) - place
    apart = apart - size // 2 if me.points == it.points else apart + size
    seated = [past[who] for who in _seated(pair, past)]
    clash = sum(_clash(each, seat) for seat, each in enumerate(seated))
    undue = sum(_due(each) == 1 - seat for seat, each in enumerate(seated))
    return me.met.count(pair[1]) ** 2, 0, clash, 0, (me.points - it.points) ** 2, undue, apart**2


def _cost_now(
    pair: tuple[str, ...], ranked: Sequence[str], past: dict[str, _Past], at: int, busy: bool
) -> tuple[int, ...]:
    """The same in an arena: who just met do not meet again while others play (``busy``), who has waited least sits out,
    and all else being equal people meet their neighbours."""
    me, it = past[pair[0]], past[pair[-1]]
    if len(pair) == 1:
        return 0, min(600, max(0, at - me.rested) // 1000), 0, 0, 0
    again = me.met[-1:] == (pair[1],)
    barred = busy and again and it.met[-1:] == (pair[0],)
    return int(barred), 0, int(again), (ranked.index(pair[1]) - ranked.index(pair[0])) ** 2, abs(me.lead + it.lead)


def _clash(me: _Past, seat: int) -> int:
    """Whether seats get more than two apart, or are the same three times running."""
    sat = (*me.sat, seat)
    lead = abs(sat.count(0) - sat.count(1))
    return 3 * max(0, lead - 2) ** 2 + (len(sat) > 2 and len(set(sat[-3:])) == 1)


def _due(me: _Past) -> int | None:
    """The seat that is due: the one that they had less often, or not last."""
    if me.lead:
        return 1 if me.lead > 0 else 0
    return 1 - me.sat[-1] if me.sat else None
