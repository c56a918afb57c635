"""The contract that every game keeps, as functions for any test runner: each raises AssertionError naming the fault.

``play_in_step`` is the heart: a random game in which the compiled and the interpreted kernels go side by side and every
promise of the kernels is checked at each ply. It is shipped so that whoever adds a game can hold it to the same.
"""

from tercet.testing.kernels import both, play_in_step
from tercet.testing.positions import (
    check_abilities,
    check_explorations,
    check_foreign_text,
    check_gestures,
    check_observation,
    check_position,
    check_symmetries,
)

__all__ = [
    "both",
    "check_abilities",
    "check_explorations",
    "check_foreign_text",
    "check_gestures",
    "check_observation",
    "check_position",
    "check_symmetries",
    "play_in_step",
]
