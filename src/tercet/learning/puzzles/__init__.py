"""Puzzles: positions in which something can be forced, with the proof that it can (``docs/puzzles.md``)."""

from tercet.learning.puzzles.checker import Refused, check
from tercet.learning.puzzles.files import PuzzleError, read, shipped, write
from tercet.learning.puzzles.maker import from_positions, key_of, make

__all__ = ["PuzzleError", "Refused", "check", "from_positions", "key_of", "make", "read", "shipped", "write"]
