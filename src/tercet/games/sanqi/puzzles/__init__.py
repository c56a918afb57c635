"""Puzzles of SanQi: wins by force, and how to stop them."""

from pathlib import Path

from tercet.core.abilities.knowledge import Puzzles, PuzzleSource
from tercet.games.sanqi.puzzles.generator import find

__all__ = ["PUZZLES"]

NOISY = tuple(
    PuzzleSource({"side": side}, engine, noise=noise)
    for side, engine, noise in ((5, "level:4", 0.3), (6, "level:4", 0.3), (5, "random", 1.0))
)

PUZZLES = Puzzles(
    sources=tuple(
        PuzzleSource({"side": side}, "level:6", noise=noise) for side in (5, 6, 7, 8) for noise in (0.1, 0.2)
    ),
    find=find,
    folder=Path(__file__).parent,
    by_tag={"triangle": NOISY, "5 turns": NOISY},
    named_options=("side",),
)
