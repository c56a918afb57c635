"""Which arms of a study differ: the procedure of `compare`, over all pairs of arms at once.

Each pair is compared game by game with a confidence sequence (:class:`~tercet.core.figures.ConfidenceSequence`), at 5 %
divided by the number of pairs. So the chance that any two equal arms are said to differ is at most 5 % in all, whatever
the other arms are, however the arms depend on each other, and however often one looks. :func:`directions` computes what
`judge_differences` would say of a pair, without a margin, for many pairs at a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any

from tercet.core.figures import ALPHA, MAX_STAKE_SHARE, STEPS
from tercet.laboratory.metrics import METRICS, measured
from tercet.laboratory.playing import Arm, GameRow, LaboratoryError

if TYPE_CHECKING:
    import numpy.typing as npt

RULED_OUT = 0.5 + 1 / STEPS  # the mean that a sequence leaves out when its interval, rounded outwards, is above 0


def block_values(figure: str, rows: Sequence[GameRow], arm: Arm, block: int) -> list[float]:
    """Return the values of a figure, one a game; where players take turns in the seats, the means of whole blocks.
    LaboratoryError where the arm does not have it, or not in every game of a block."""
    name, _, label = figure.partition(".")
    every = measured(name, rows, arm)
    if label not in every:
        there = ", ".join(f"{name}.{label}" if label else name for label in every) or "none"
        raise LaboratoryError(f"{arm.name} has no figure {figure!r}; {name} has {there}")
    games = (value for value in every[label] if value not in ((), []))
    values = [fmean(value) if isinstance(value, (list, tuple)) else float(value) for value in games]
    if block == 1:
        return values
    if len(values) < len(rows):
        raise LaboratoryError(f"{figure!r} cannot be compared where players take turns: not every game has it.")
    return [fmean(values[at : at + block]) for at in range(0, len(values), block)]


def directions(differences: npt.ArrayLike, alpha: float = ALPHA) -> Any:
    """Return 1 where the mean of ``differences``, each from -1 to 1 along the last axis, is above 0, -1
    where it is below, 0 where the confidence sequence at ``alpha`` has it still."""
    import numpy as np  # which only reports need

    values = (np.asarray(differences, float) + 1) / 2
    counts = np.arange(1, values.shape[-1] + 1)
    means = (0.5 + np.cumsum(values, -1)) / (counts + 1)
    spread = 0.25 + np.cumsum((values - means) ** 2, -1)
    spread = np.concatenate([np.full_like(spread[..., :1], 0.25), spread[..., :-1]], -1)  # before each value
    bets = np.sqrt(2 * math.log(2 / alpha) / (spread * np.log(counts + 1))).clip(max=MAX_STAKE_SHARE / RULED_OUT)
    above, below = (
        np.log1p(bets * (side - RULED_OUT)).cumsum(-1).max(-1, initial=0.0) for side in (values, 1 - values)
    )
    enough = math.log(2 / alpha)
    return np.where(np.maximum(above, below) < enough, 0, np.where(above > below, 1, -1))


def differing(values: Sequence[Sequence[float]], bounded: bool) -> list[tuple[int, int]]:
    """Return the pairs of arms, by number, that differ, the higher one first. ``values`` has those of each arm, game by
    game. Where they are not ``bounded`` by 0 and 1, what counts of two games is only which of them has more."""
    import numpy as np

    pairs = list(combinations(range(len(values)), 2))
    unequal = []
    for one, other in pairs:
        games = min(len(values[one]), len(values[other]))
        differences = np.subtract(values[one][:games], values[other][:games])
        direction = int(directions(differences if bounded else np.sign(differences), ALPHA / len(pairs)))
        if direction:
            unequal.append((one, other) if direction > 0 else (other, one))
    return unequal


def is_bounded(figure: str) -> bool:
    """Return whether all values of a figure lie between 0 and 1."""
    metric = METRICS.get(figure.partition(".")[0])
    return metric is not None and metric.bounded
