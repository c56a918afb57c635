"""Puzzles: positions in which something can be forced, with the proof that it can (``docs/puzzles.md``)."""

from tercet.puzzles.checker import Refused, check
from tercet.puzzles.files import read, shipped, write
from tercet.puzzles.maker import make

__all__ = ["Refused", "check", "make", "read", "shipped", "write"]
