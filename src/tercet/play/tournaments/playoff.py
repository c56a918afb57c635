"""The play-off of the form by margins: the players who qualify, the pairings, and the places.

Two at a table: the first against the fourth and the second against the third, then the winners, and the losers. More at
a table: one person more than there are seats, and as many games, in each of which one of them sits out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tercet.play.tournaments.results import Pairing, Past, share
from tercet.play.tournaments.roundrobin import schedule, seat_two

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
    if not played:
        return {}
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
