"""Searching the arms of a study for those that reach its goals, by successive halving."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tercet.laboratory.metrics import Figure, figures
from tercet.laboratory.playing import Arm, LaboratoryError
from tercet.laboratory.running import Bench, StudyProgress
from tercet.laboratory.study import Study, Target
from tercet.workers import Workers

FIRST_STEPS = 2  # of each arm, before the first look


@dataclass(frozen=True)
class Candidate:
    """An arm of a search: its ``games`` and ``figures`` so far, how far its figures miss each goal (0: it is reached),
    the round in which it was ``dropped`` (0: never), whether it is ``proved`` (every interval lies within its goal) or
    is ``outside`` (an interval lies outside its goal), and whether no other candidate is nearer to every goal
    (``is_best``: the Pareto front)."""

    arm: Arm
    games: int
    figures: tuple[Figure, ...]
    misses: tuple[float, ...]
    dropped: int = 0
    proved: bool = False
    outside: bool = False
    is_best: bool = False

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
    """Play the arms of a study in rounds, and return them as candidates, the best first.

    After each round an arm is dropped where an interval lies outside its goal, or where half of the arms left are
    nearer to the goals; those that stay play twice as many games in all. The search ends when one arm is left or the
    budget of an arm is spent. The best of many arms looks better than it is: confirm it with another seed.
    """
    if not study.goals:
        raise LaboratoryError(f"{study.name} has no goals. Add tables [[goal]] with figure, low and high.")
    study.check()
    store = None
    if folder is not None:
        from tercet.laboratory.storing import StudyFolder

        store = StudyFolder(Path(folder))
    alive, dropped = list(study.arms), []
    steps, round_ = FIRST_STEPS, 1
    with Workers(on, workers) as crew:
        bench = Bench(crew, store, report=report)
        bench.load(study.arms)
        while True:
            most = max(1, -(-study.stop.games // max(arm.step for arm in alive)))
            steps = min(steps, most)
            for arm in alive:
                bench.expect(arm, steps)
            bench.fill(alive, {arm.name: steps for arm in alive})
            found = sorted((_candidate(study, arm, bench, steps) for arm in alive), key=lambda one: sum(one.misses))
            if steps >= most or len(found) == 1:
                break
            kept = [one for one in found if not _is_outside(study, one)][: max(1, -(-len(found) // 2))] or found[:1]
            names = {one.arm.name for one in kept}
            dropped += [replace(one, dropped=round_) for one in found if one.arm.name not in names]
            alive = [one.arm for one in kept]
            steps, round_ = 2 * steps, round_ + 1
    every = found + sorted(dropped, key=lambda one: (-one.dropped, sum(one.misses)))
    return [
        replace(
            one,
            proved=not one.dropped and all(_within(goal, _figure(one, goal)) for goal in study.goals),
            outside=_is_outside(study, one),
            is_best=not any(_dominates(other, one) for other in every),
        )
        for one in every
    ]


def _candidate(study: Study, arm: Arm, bench: Bench, steps: int) -> Candidate:
    rows = bench.rows(arm, steps)
    names = list(dict.fromkeys(goal.figure.partition(".")[0] for goal in study.goals))
    found = Candidate(arm, len(rows), tuple(figures([*dict.fromkeys([*names, *study.metrics])], rows, arm)), ())
    return replace(found, misses=tuple(_miss(goal, _figure(found, goal)) for goal in study.goals))


def _figure(candidate: Candidate, goal: Target) -> Figure:
    for figure in candidate.figures:
        if figure.name == goal.figure:
            return figure
    there = ", ".join(figure.name for figure in candidate.figures)
    raise LaboratoryError(f"{candidate.arm.name} has no figure {goal.figure!r}; it has {there}")


def _miss(goal: Target, figure: Figure) -> float:
    """Return how far the mean is from the goal, in half widths of the interval."""
    away = max(goal.low - figure.estimate.mean, figure.estimate.mean - goal.high, 0.0)
    half = figure.width / 2
    return away / half if half > 0 else (0.0 if away == 0 else 1e9)


def _is_outside(study: Study, candidate: Candidate) -> bool:
    found = ((goal, _figure(candidate, goal).estimate) for goal in study.goals)
    return any(one.high < goal.low or one.low > goal.high for goal, one in found)


def _within(goal: Target, figure: Figure) -> bool:
    return goal.low <= figure.estimate.low and figure.estimate.high <= goal.high


def _dominates(one: Candidate, other: Candidate) -> bool:
    pairs = list(zip(one.misses, other.misses, strict=True))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)
