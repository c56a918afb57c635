"""Teaming: whether two players of a game for three favour each other, beyond what their strength explains.

At each decision while all three play, a judge compares the move with the best one it knows: what the move shifts
between the mover's two opponents is the *favour* to the one who gains by it, and as much less to the other. Who plays
badly shifts much, but now to the one and now to the other. A habit, such as holding back the leader, is no favour
either: what a player shifts away from leaders on the mean of all their decisions is taken off first.

Two players' favours to each other are added up game by game. Signs drawn at random for each game (Fisher 1935, *The
Design of Experiments*, section 21) say how often two who favour no one would reach as much.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from tercet.core.game import Action, Position
from tercet.engines import Engine, Limits
from tercet.laboratory.playing import LaboratoryError

MOST_FAVOUR = 0.2  # of one decision: a blunder does not outweigh a game of small favours
DRAWS = 20_000  # of signs
FALSE_ALARMS = 0.01  # for a player: how likely one who favours no one is suspected, with anyone


@dataclass(frozen=True)
class Shift:
    """What a decision of seat ``mover`` that was not the best shifted, as a share of the point: ``taken`` is what
    ``leader``, the better of the other two after the best move, lost by it to the third."""

    mover: int
    leader: int
    taken: float


Names = tuple[str, ...]
JudgedGame = tuple[Names, Sequence[Shift]]  # the players by seat, and what they did


@dataclass(frozen=True)
class Evidence:
    """How two ``players`` treat each other in the ``games`` that they had together. ``favour`` is the mean of what they
    shift to each other in a game, as a share of the point; two who favour no one reach it with this ``probability``.
    They are ``suspected`` if that is below :data:`FALSE_ALARMS`, divided by how many people either has played with."""

    players: tuple[str, str]
    games: int
    favour: float
    probability: float
    suspected: bool


def shifts(start: Position, actions: Iterable[Action | int | str], judge: Engine, limits: Limits) -> list[Shift]:
    """Return what the decisions of a game shifted in the eyes of ``judge``, until one of the three players is out.
    LaboratoryError where the game has not three."""
    if len(start.game.players) != 3:
        raise LaboratoryError(f"Two can team up only in a game for three, not in {start.game.name}.")
    position, made = start, list[Shift]()
    for given in actions:
        mover = position.mover
        if mover is None or not all(map(position.may_resign, range(3))):
            break
        action = position.action(given)
        if len(position.legal_actions) > 1:
            best = judge.think(position, limits).action
            if best.id != action.id:
                made.append(_shift(position, best, action, judge, limits))
        position = position.play(action)
    return made


def _shift(position: Position, best: Action, action: Action, judge: Engine, limits: Limits) -> Shift:
    mover = position.mover or 0
    one, other = (seat for seat in range(3) if seat != mover)

    def shares(move: Action) -> tuple[float, ...]:
        after = position.play(move)
        return judge.think(after, limits).info.lines[0].scores if after.outcome is None else after.outcome.scores

    due, made = shares(best), shares(action)
    leader, third = (one, other) if due[one] >= due[other] else (other, one)
    return Shift(mover, leader, ((made[third] - due[third]) - (made[leader] - due[leader])) / 2)


def favours(games: Sequence[JudgedGame]) -> dict[tuple[str, str], list[float]]:
    """Return for each two players, by name, their favours to each other in each game that they had together."""
    taken = defaultdict[str, list[float]](list)
    bounded = [
        (names, [(one.mover, one.leader, max(-MOST_FAVOUR, min(MOST_FAVOUR, one.taken))) for one in made])
        for names, made in games
    ]
    for names, made in bounded:
        for mover, _, value in made:
            taken[names[mover]].append(value)
    habit = {name: fmean(values) for name, values in taken.items()}
    pairs = defaultdict[tuple[str, str], list[float]](list)
    for names, made in bounded:
        given = {(a, b): 0.0 for a in range(3) for b in range(3)}
        for mover, leader, value in made:
            extra = value - habit[names[mover]]
            given[mover, leader] -= extra
            given[mover, 3 - mover - leader] += extra
        for a, b in combinations(range(3), 2):
            one, other = sorted((names[a], names[b]))
            pairs[one, other].append(given[a, b] + given[b, a])
    return dict(pairs)


def chance(values: Sequence[float]) -> float:
    """Return how often a sum is as large as that of ``values`` where the sign of each is drawn at random."""
    import numpy as np  # which only this needs

    draws = np.random.default_rng(1).choice((-1.0, 1.0), (DRAWS, len(values)))
    reached = draws @ np.abs(np.asarray(values, float)) >= sum(values) - 1e-12
    return float((1 + reached.sum()) / (1 + DRAWS))


def suspicions(games: Sequence[JudgedGame]) -> list[Evidence]:
    """Return what ``games`` say of each two players who met, the most suspicious first."""
    pairs = favours(games)
    met = defaultdict[str, int](int)
    for pair in pairs:
        for name in pair:
            met[name] += 1
    evidence = []
    for pair, values in pairs.items():
        likely = chance(values)
        suspected = likely * max(met[name] for name in pair) < FALSE_ALARMS
        evidence.append(Evidence(pair, len(values), fmean(values), likely, suspected))
    return sorted(evidence, key=lambda one: (one.probability, -one.favour))
