"""Comparing two arms, or an arm with a number: higher, lower, equivalent within a margin fixed beforehand, or
inconclusive at the budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from tercet.core.sequences import Verdict, judge_all
from tercet.laboratory.metrics import METRICS, measured
from tercet.laboratory.playing import Arm, GameRow, LaboratoryError
from tercet.laboratory.running import Bench, StudyProgress
from tercet.laboratory.study import Study
from tercet.workers import Workers


@dataclass(frozen=True)
class Comparison:
    """What comparing ``a`` with ``b`` (an arm's name, or a number) found, figure by figure."""

    a: str
    b: str
    margin: float
    verdicts: tuple[Verdict, ...]


def _values(figure: str, rows: Sequence[GameRow], arm: Arm, block: int) -> list[float]:
    """Return the values of a figure; the means of whole blocks where players take turns in the seats, as only those
    have one mean."""
    name, _, label = figure.partition(".")
    metric = METRICS.get(name)
    if metric is None or not metric.bounded:
        bounded = ", ".join(name for name, one in METRICS.items() if one.bounded)
        raise LaboratoryError(f"{figure!r} cannot be compared: a comparison needs a figure whose values lie between 0 "
                              f"and 1, of {bounded}")  # fmt: skip
    found = measured(name, rows, arm)
    if label not in found:
        there = ", ".join(f"{name}.{label}" if label else name for label in found) or "none"
        raise LaboratoryError(f"{arm.name} has no figure {figure!r}; {name} has {there}")
    values = [float(value) for value in found[label]]
    if block == 1:
        return values
    if len(values) < len(rows):
        raise LaboratoryError(f"{figure!r} cannot be compared where players take turns: not every game has it.")
    return [fmean(values[at : at + block]) for at in range(0, len(values), block)]


def compare(
    study: Study,
    a: str,
    b: str,
    figures: Sequence[str],
    margin: float,
    folder: str | Path | None = None,
    *,
    games: int | None = None,
    on: str = "local",
    workers: int | None = 1,
    report: Callable[[StudyProgress], None] | None = None,
) -> Comparison:
    """Compare ``figures`` of arm ``a`` of a study with arm ``b``, or with the number that ``b`` is, game by game, until
    each has a verdict or ``games`` (the study's budget) are played.

    One may look at any time: intervals are confidence sequences (:class:`ConfidenceSequence`), not those of the study's
    report. Of several figures at once, "higher" and "lower" stand only where the e-BH procedure rejects equality, and
    "equivalent" is asked of an interval that allows for their number.
    """
    if not 0 < margin < 1:
        raise LaboratoryError(f"a margin must be between 0 and 1, not {margin:g}")
    first = study.arm(a)
    try:
        constant = float(b)
    except ValueError:
        constant = math.nan
    second = None if math.isfinite(constant) else study.arm(b)
    arms = [first] if second is None else [first, second]
    step = max(arm.step for arm in arms)
    block = max(len(arm.orders) for arm in arms)
    most = -(-(games or study.stop.games) // step)
    for arm in arms:
        arm.check()
    store = None
    if folder is not None:
        from tercet.laboratory.storing import StudyFolder

        store = StudyFolder(Path(folder))
    with Workers(on, workers) as crew:
        bench = Bench(crew, store, report=report)
        bench.load(arms)
        steps = 1
        while True:
            for arm in arms:
                bench.expect(arm, most * step // arm.step)
            bench.fill(arms, {arm.name: steps * step // arm.step for arm in arms})
            rows = [bench.rows(arm, steps * step // arm.step) for arm in arms]
            differences = {}
            for figure in figures:
                values = _values(figure, rows[0], first, block)
                others = [constant] * len(values) if second is None else _values(figure, rows[1], second, block)
                differences[figure] = [one - other for one, other in zip(values, others, strict=False)]
            verdicts = [replace(one, games=one.games * block) for one in judge_all(differences, margin, step // block)]
            if steps >= most or all(verdict.verdict != "inconclusive" for verdict in verdicts):
                break
            steps = min(most, 2 * steps)
    return Comparison(a, b, margin, tuple(verdicts))
