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
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

from tercet.core.figures import Estimate, mean, share
from tercet.engines.politics import Shift
from tercet.laboratory.playing import Arm, GameRow

MOST_FAVOUR = 0.2  # of one decision: a blunder does not outweigh a game of small favours
DRAWS = 20_000  # of signs
TRIALS = (10, 20)  # games that two players have together when it is asked whether they are suspected
FALSE_ALARMS = 0.01  # for a player: how likely one who favours no one is suspected, with anyone


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


def teaming_figures(rows: Sequence[GameRow], arm: Arm) -> list[tuple[str, str, Estimate]]:
    """Return what the games that the judge has seen say, each figure with its label and its unit: the favour of two
    players who spare each other (without such, of the first two); and, of trials of so many games that share none, in
    how many the two are suspected, and how many of the three players are suspected with another one."""
    players = arm.players if len(arm.players) > 1 else arm.players * 3
    pairs = [(str(a), str(b)) for a, b in combinations(range(3), 2)]
    allied = [players[a].spares == players[b].name == players[b].spares for a, b in combinations(range(3), 2)]
    allies = {frozenset(pair) for pair, is_allied in zip(pairs, allied, strict=True) if is_allied}
    seen = [(tuple(map(str, row.entrants)), row.shifts) for row in rows if row.number % arm.judge_every == 0]
    first = next((pair for pair in pairs if frozenset(pair) in allies), pairs[0])
    figures = [("favour", "points", mean(favours(seen)[first]))]
    for length in TRIALS:
        trials = [seen[at : at + length] for at in range(0, len(seen) - length + 1, length)]
        suspected = [{frozenset(each.players) for each in suspicions(games) if each.suspected} for games in trials]
        if suspected and allies:
            known = [float(not allies.isdisjoint(each)) for each in suspected]
            figures.append((f"known after {length} games", "%", share(known)))
        if suspected:
            alarms = [len(frozenset[str]().union(*(each - allies))) / 3 for each in suspected]
            figures.append((f"false alarms after {length} games", "%", share(alarms)))
    return figures
