"""Searching the arms of a study, or a space of options, for rules that reach its goals.

Arms are searched by successive halving: all play a little, the farther half is dropped, the others play twice as much.

A space is searched for the best rules of each kind, not only the best of all, by MAP-Elites (Mouret and Clune,
"Illuminating Search Spaces by Mapping Elites", 2015, arXiv 1504.04909). The figures of the study's atlas divide games
into cells, such as short or long ones with few or many draws. Each try plays a few games with new values of the
options: drawn at random, or those of the best of a cell with one of them changed. Games differ by chance, and the best
of many looks better than it is. So the best of each cell then play on to the budget, and what they give decides again,
until each cell is held by rules that have played it.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tercet.engines.trials import seed_of
from tercet.errors import TercetError
from tercet.laboratory.metrics import Figure, figures
from tercet.laboratory.playing import Arm, LaboratoryError
from tercet.laboratory.running import StudyGames, StudyProgress, open_store
from tercet.laboratory.study import UNBOUNDED, Study, Target, words_of
from tercet.workers import Workers

FIRST_STEPS = 2  # of each arm, before the first look
LOOKS = 20  # at other values beside one, before it is refused
TRIES_AT_ONCE = 8  # whatever the number of processes, so that the search depends on the study alone

Key = tuple[Any, ...]  # the values of the options of the space, in their order


@dataclass(frozen=True)
class Candidate:
    """An arm of a search, with its ``games`` and ``figures`` so far, and by how much these miss each goal (0: it is
    reached).

    ``dropped`` is the round in which it was dropped (0: never). It is ``proved`` if every interval lies within its
    goal, ``outside`` if an interval lies outside. ``is_best`` is whether it stayed to the end, and no other
    that did is nearer to every goal: the Pareto front. In a search of a space ``cell`` is where it lies in the atlas,
    and ``is_best`` whether no other is nearer to the goals there.
    """

    arm: Arm
    games: int
    figures: tuple[Figure, ...]
    misses: tuple[float, ...]
    dropped: int = 0
    proved: bool = False
    outside: bool = False
    is_best: bool = False
    cell: tuple[int, ...] = ()

    @property
    def state(self) -> str:
        """Whether the arm was dropped, or reaches the goals."""
        if self.dropped:
            return f"dropped in round {self.dropped}"
        if self.outside:
            return "misses a goal"
        return "reaches the goals" if self.proved else "may reach the goals"


def search(
    study: Study,
    folder: str | Path | None = None,
    *,
    on: str = "local",
    workers: int | None = 1,
    report: Callable[[StudyProgress], None] | None = None,
) -> list[Candidate]:
    """Search the study's space, if it has one, else its arms, and return what was tried as candidates, the best first.
    The other arguments are those of :func:`tercet.laboratory.run_study`. The best of many looks better than it is:
    confirm it with another seed.

    LaboratoryError where the study has no goals, an arm lacks a figure, or the game refuses a value of the space with
    all others that were looked at; values that it refuses together count as a try.
    """
    if not study.goals:
        raise LaboratoryError(f"{study.name} has no goals. Add tables [[goal]] with figure, low and high.")
    study.check()
    _check_values(study)
    store = open_store(folder)
    with Workers(on, workers) as crew:
        played = StudyGames(crew, store, report=report)
        return _best_of_each_kind(study, played) if study.space else _halved(study, played)


def _halved(study: Study, played: StudyGames) -> list[Candidate]:
    """Play the arms in rounds. After each an arm is dropped where an interval lies outside its goal, or where half of
    the arms left are nearer to the goals; those that stay play twice as many games in all. The end is when one arm is
    left or the budget of an arm is spent."""
    alive, dropped = list(study.arms), list[Candidate]()
    steps, round_ = FIRST_STEPS, 1
    played.load(study.arms)
    while True:
        most = max(1, -(-study.stop.games // max(arm.step for arm in alive)))
        steps = min(steps, most)
        played.expected = {arm.name: steps for arm in alive}
        played.fill(alive, played.expected)
        found = sorted((_candidate(study, arm, played, steps) for arm in alive), key=lambda one: sum(one.misses))
        if steps >= most or len(found) == 1:
            break
        kept = [one for one in found if not one.outside][: max(1, -(-len(found) // 2))] or found[:1]
        names = {one.arm.name for one in kept}
        dropped += [replace(one, dropped=round_, proved=False) for one in found if one.arm.name not in names]
        alive = [one.arm for one in kept]
        steps, round_ = 2 * steps, round_ + 1
    every = found + sorted(dropped, key=lambda one: (-one.dropped, sum(one.misses)))
    best = [one for one in found if not any(_dominates(other, one) for other in found)]
    return [replace(one, is_best=one in best) for one in every]


def _candidate(study: Study, arm: Arm, played: StudyGames, steps: int) -> Candidate:
    """Return an arm with what its first ``steps`` gave; LaboratoryError where it lacks the figure of a goal."""
    rows = played.rows(arm, steps)
    names = dict.fromkeys([*(goal.figure.partition(".")[0] for goal in study.goals), *study.metrics])
    found = {figure.name: figure for figure in figures(list(names), rows, arm)}
    for goal in study.goals:
        if goal.figure not in found:
            raise LaboratoryError(f"{arm.name} has no figure {goal.figure!r}; it has {', '.join(found)}")
    aimed = [(goal, found[goal.figure]) for goal in study.goals]
    return Candidate(
        arm,
        len(rows),
        tuple(found.values()),
        tuple(_miss(goal, figure) for goal, figure in aimed),
        proved=all(goal.low <= one.estimate.low and one.estimate.high <= goal.high for goal, one in aimed),
        outside=any(one.estimate.high < goal.low or one.estimate.low > goal.high for goal, one in aimed),
    )


def _miss(goal: Target, figure: Figure) -> float:
    """Return how far the mean is from the goal, in half widths of the interval."""
    away = max(goal.low - figure.estimate.mean, figure.estimate.mean - goal.high, 0.0)
    half = figure.width / 2
    return away / half if half > 0 else (0.0 if away == 0 else 1e9)


def _dominates(one: Candidate, other: Candidate) -> bool:
    pairs = list(zip(one.misses, other.misses, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def _best_of_each_kind(study: Study, played: StudyGames) -> list[Candidate]:
    known: dict[Key, Candidate | None] = {}
    size, round_ = math.prod(map(len, study.space.values())), 0
    while len(known) < min(study.stop.tries, size):
        chance = random.Random(seed_of(study.arms[0].seed, round_, "tries"))
        keys = _new_keys(study, known, min(TRIES_AT_ONCE, study.stop.tries - len(known), size - len(known)), chance)
        known |= dict.fromkeys(keys)
        arms = [arm for arm in (_arm(study, key) for key in keys) if arm is not None]
        _play(study, played, arms, FIRST_STEPS, known)
        round_ += 1
    while True:
        short = [one.arm for one in _best(study, known).values() if one.games < _budget(study, one.arm) * one.arm.step]
        if not short:
            break
        _play(study, played, short, None, known)
    best = {id(one) for one in _best(study, known).values()}
    tried = [replace(one, is_best=id(one) in best) for one in known.values() if one is not None]
    return sorted(tried, key=lambda one: (not one.is_best, one.cell, _distance(study, one)))


def _budget(study: Study, arm: Arm) -> int:
    return max(1, -(-study.stop.games // arm.step))


def _play(
    study: Study, played: StudyGames, arms: Sequence[Arm], steps: int | None, known: dict[Key, Candidate | None]
) -> None:
    """Play ``steps`` of each arm, or the budget, and keep what they give in ``known``."""
    wanted = {arm.name: min(_budget(study, arm), steps) if steps else _budget(study, arm) for arm in arms}
    played.load(arms)
    played.expected |= wanted
    played.fill(arms, wanted)
    for arm in arms:
        one = _candidate(study, arm, played, wanted[arm.name])
        means = {figure.name: figure.estimate.mean for figure in one.figures}
        for name in study.atlas:
            if name not in means:
                raise LaboratoryError(f"{arm.name} has no figure {name!r}; it has {', '.join(means)}")
        cell = tuple(bisect_right(ends, means[name]) for name, ends in study.atlas.items())
        known[tuple(arm.options[name] for name in study.space)] = replace(one, cell=cell)


def _distance(study: Study, one: Candidate) -> float:
    """Return how far the mean of the goal that is missed most lies from it, as a part of its larger end; below 0 where
    all are reached. Unlike ``misses`` it does not depend on the number of games."""
    means = {figure.name: figure.estimate.mean for figure in one.figures}
    distances = []
    for goal in study.goals:
        ends = [abs(end) for end in (goal.low, goal.high) if abs(end) < UNBOUNDED]
        away = max(goal.low - means[goal.figure], means[goal.figure] - goal.high)
        distances.append(away / (max(ends, default=1.0) or 1.0))
    return max(distances)


def _best(study: Study, known: Mapping[Key, Candidate | None]) -> dict[tuple[int, ...], Candidate]:
    """Return the best of each cell, of equals the one that was tried first."""
    best: dict[tuple[int, ...], Candidate] = {}
    for one in known.values():
        if one is not None and (one.cell not in best or _distance(study, one) < _distance(study, best[one.cell])):
            best[one.cell] = one
    return best


def _with(study: Study, chosen: Mapping[str, Any]) -> Arm:
    options = {**study.arms[0].options, **chosen}
    return replace(study.arms[0], options=options, name=", ".join(words_of(chosen)))


def _arm(study: Study, key: Key) -> Arm | None:
    """Return the arm with these values; None where the game does not take them together."""
    arm = _with(study, dict(zip(study.space, key, strict=True)))
    try:
        arm.check()
    except TercetError:
        return None
    return arm


def _check_values(study: Study) -> None:
    """Raise LaboratoryError where the game refuses a value alone and with any others that are drawn for it."""
    chance = random.Random(study.arms[0].seed)
    for option, values in study.space.items():
        for value in values:
            others: list[dict[str, Any]] = [{}, *(_drawn(study, chance) for _ in range(LOOKS))]
            why = [_refused(_with(study, {**other, option: value})) for other in others]
            if all(why):
                raise LaboratoryError(f"{study.name}: the space's {option} = {value!r}: {why[0]}")


def _refused(arm: Arm) -> str:
    """Return why the game refuses the options of an arm; empty where it does not."""
    try:
        arm.made()
    except TercetError as error:
        return str(error)
    return ""


def _drawn(study: Study, chance: random.Random) -> dict[str, Any]:
    return {option: chance.choice(values) for option, values in study.space.items()}


def _new_keys(study: Study, known: Mapping[Key, Candidate | None], count: int, chance: random.Random) -> list[Key]:
    """Return values that were not tried yet: every other a change of the best of a cell, where that is new."""
    best = [tuple(one.arm.options[name] for name in study.space) for one in _best(study, known).values()]
    keys: list[Key] = []
    while len(keys) < count:
        key = tuple(_drawn(study, chance).values())
        if best and len(keys) % 2:
            key = _changed(chance.choice(best), list(study.space.values()), chance)
        if key in known or key in keys:
            key = _untried(study, {*known, *keys}, chance)
        keys.append(key)
    return keys


def _changed(key: Key, space: Sequence[Sequence[Any]], chance: random.Random) -> Key:
    """Return the values with one changed: a number to one of its neighbours in the list, else to any other."""
    at = chance.choice([number for number, values in enumerate(space) if len(values) > 1] or [0])
    values, now = space[at], list(space[at]).index(key[at])
    near = [now - 1, now + 1] if all(type(value) in (int, float) for value in values) else range(len(values))
    others = [values[number] for number in near if 0 <= number < len(values) and number != now]
    return (*key[:at], chance.choice(others or [key[at]]), *key[at + 1 :])


def _untried(study: Study, known: set[Key], chance: random.Random) -> Key:
    """Return values drawn at random among those that were not tried."""
    while (key := tuple(_drawn(study, chance).values())) in known:
        pass
    return key
