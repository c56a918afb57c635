"""The contract that every game keeps, as functions for any test runner: each raises AssertionError naming the fault.

``check_game`` checks everything of one game in one call. Its heart is ``play_in_step``: a random game in which the
compiled and the interpreted kernels go side by side, with every promise of the kernels checked at each ply.
"""

from tercet.testing.games import both, check_game, play_in_step
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
    "check_game",
    "check_gestures",
    "check_observation",
    "check_position",
    "check_symmetries",
    "play_in_step",
]
