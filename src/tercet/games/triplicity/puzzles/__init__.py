"""Puzzles of Triplicity: kings won by force, both others beaten whatever they do, men saved from tribute, endings."""

from pathlib import Path

from tercet.definition import Puzzles, PuzzleSource
from tercet.games.triplicity.puzzles.endings import ending
from tercet.games.triplicity.puzzles.finding import find

__all__ = ["PUZZLES"]

PUZZLES = Puzzles(
    sources=(
        PuzzleSource({}, "level:5", noise=0.15),
        PuzzleSource({}, "level:8", nodes=300, noise=0.05, start=ending),
        PuzzleSource({}, "level:2", noise=0.3),
        PuzzleSource({"drops": "anywhere"}, "level:5", noise=0.1),
        PuzzleSource({}, "level:8", nodes=300, noise=0.05, start=ending),
        PuzzleSource({}, "level:6", noise=0.1),
    ),
    find=find,
    folder=Path(__file__).parent,
)
