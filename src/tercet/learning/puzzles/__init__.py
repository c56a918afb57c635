"""Puzzles: positions in which something can be forced, with the proof that it can (``docs/puzzles.md``)."""

from tercet.learning.puzzles.checker import Refused, check
from tercet.learning.puzzles.maker import PuzzleError, from_positions, key_of, make, read, shipped, write

__all__ = ["PuzzleError", "Refused", "check", "from_positions", "key_of", "make", "read", "shipped", "write"]
