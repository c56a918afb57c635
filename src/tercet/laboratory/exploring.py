"""A search through a space of options that keeps the best rules of each kind, not only the best of all.

It is MAP-Elites (Mouret and Clune, "Illuminating Search Spaces by Mapping Elites", 2015, arXiv 1504.04909). The figures
of the study's atlas divide games into cells, such as short or long ones with few or many draws. Each try plays a few
games with new values of the options: drawn at random, or those of the best of a cell with one of them changed. Games
differ by chance, and the best of many looks better than it is. So the best of each cell then play on to the budget, and
what they give decides again, until each cell is held by rules that have played it.
"""

from __future__ import annotations

import math
import random
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tercet.engines.trials import seed_of
from tercet.errors import TercetError
from tercet.laboratory.playing import Arm, LaboratoryError
from tercet.laboratory.running import FIRST_STEPS, Candidate, StudyGames, StudyProgress, candidate, open_store
from tercet.laboratory.study import UNBOUNDED, Study, words_of
from tercet.workers import Workers

LOOKS = 20  # at other values beside one, before it is refused
TRIES_AT_ONCE = 8  # whatever the number of processes, so that the search depends on the study alone

Key = tuple[Any, ...]  # the values of the options of the space, in their order


def explore(
    study: Study,
    folder: str | Path | None = None,
    *,
    on: str = "local",
    workers: int | None = 1,
    report: Callable[[StudyProgress], None] | None = None,
) -> list[Candidate]:
    """Return what was tried, the best of each cell first. Values that the game refuses together count as a try. What is
    given are the arguments of :func:`tercet.laboratory.running.search`. LaboratoryError where the game refuses a value
    with all others that were looked at."""
    _check_values(study)
    store = open_store(folder)
    with Workers(on, workers) as crew:
        return _explored(study, StudyGames(crew, store, report=report))


def _explored(study: Study, played: StudyGames) -> list[Candidate]:
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
    wanted = {arm.name: min(_budget(study, arm), steps or math.inf) for arm in arms}
    whole = {name: int(count) for name, count in wanted.items()}
    played.load(arms)
    played.expected |= whole
    played.fill(arms, whole)
    for arm in arms:
        one = candidate(study, arm, played, whole[arm.name])
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
