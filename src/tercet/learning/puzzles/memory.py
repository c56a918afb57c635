"""The memory of a motif: how likely a person sees it in a fresh position, and when they should try again.

The formulas and their parameters are those of FSRS-6, which are published at
https://github.com/open-spaced-repetition/awesome-fsrs/wiki/The-Algorithm, as py-fsrs 6.3.2 computes them without
learning steps. A first try is a review: ``Good`` if it was right, else ``Again``. Days are numbered as dates are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

WEIGHTS = (
    *(0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796),
    *(1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542),
)
AIM = 0.9  # the recall that a review is due at; "stability" is the number of days until then
MIN_REVIEWS = 3  # of a motif that holds
AGAIN, GOOD, EASY = 1, 3, 4
FACTOR = AIM ** (-1 / WEIGHTS[20]) - 1


class Review(NamedTuple):
    """A try after an earlier one: the days between them, the recall that the memory expected, and the result."""

    days: int
    expected: float
    right: bool


@dataclass(frozen=True)
class MotifMemory:
    """The memory after the last of ``reviews`` tries, made on ``day``, which was ``right`` or not."""

    stability: float
    difficulty: float
    day: int
    reviews: int
    right: bool

    @classmethod
    def first(cls, right: bool, day: int) -> MotifMemory:
        """Return the memory after a first try."""
        grade = GOOD if right else AGAIN
        return cls(WEIGHTS[grade - 1], _bounded(_difficulty(grade)), day, 1, right)

    @property
    def due(self) -> int:
        """Return the day on which recall has fallen to the aim."""
        return self.day + max(1, round(self.stability))

    def recall(self, day: int) -> float:
        """Return the probability that the motif is seen on that day."""
        return math.pow(1 + FACTOR * max(0, day - self.day) / self.stability, -WEIGHTS[20])

    def holds(self, day: int) -> bool:
        """Return whether the motif was tried often enough, was seen the last time, and will be seen on the day after
        ``day`` as probably as is aimed at."""
        return self.reviews >= MIN_REVIEWS and self.right and self.recall(day + 1) >= AIM

    def after(self, right: bool, day: int) -> MotifMemory:
        """Return the memory after another try."""
        w, grade, stability, recall = WEIGHTS, GOOD if right else AGAIN, self.stability, self.recall(day)
        if day <= self.day:
            growth = math.exp(w[17] * (grade - GOOD + w[18])) * stability ** -w[19]
            stability *= max(growth, 1.0) if right else growth
        elif right:
            ease = (11 - self.difficulty) * stability ** -w[9]
            stability *= 1 + math.exp(w[8]) * ease * (math.exp((1 - recall) * w[10]) - 1)
        else:
            left = w[11] * self.difficulty ** -w[12] * ((stability + 1) ** w[13] - 1) * math.exp((1 - recall) * w[14])
            stability = min(left, stability / math.exp(w[17] * w[18]))
        harder = self.difficulty + (10 - self.difficulty) / 9 * w[6] * (GOOD - grade)
        difficulty = w[7] * _difficulty(EASY) + (1 - w[7]) * harder
        return MotifMemory(max(stability, 0.001), _bounded(difficulty), max(day, self.day), self.reviews + 1, right)


def _difficulty(grade: int) -> float:
    return WEIGHTS[4] - math.exp(WEIGHTS[5] * (grade - 1)) + 1


def _bounded(difficulty: float) -> float:
    return min(max(difficulty, 1.0), 10.0)


def remembered(tries: Iterable[tuple[int, bool]]) -> tuple[MotifMemory | None, list[Review]]:
    """Return the memory after these tries (day, right), the oldest first, and each try after the first."""
    memory, reviews = None, []
    for day, right in tries:
        if memory is None:
            memory = MotifMemory.first(right, day)
        else:
            reviews.append(Review(max(0, day - memory.day), memory.recall(day), right))
            memory = memory.after(right, day)
    return memory, reviews
