"""Puzzles of Triplicity: kings won by force, both others beaten whatever they do, men saved from tribute, endings."""

from pathlib import Path

from tercet.core.abilities.knowledge import Puzzles, PuzzleSource
from tercet.games.triplicity.puzzles.endings import ending, ending_of_three
from tercet.games.triplicity.puzzles.generator import find

__all__ = ["PUZZLES"]

ENDING = PuzzleSource({}, "level:8", nodes=300, noise=0.05, start=ending)
OF_THREE = PuzzleSource({}, "level:5", nodes=300, noise=0.25, start=ending_of_three)

PUZZLES = Puzzles(
    sources=(
        PuzzleSource({}, "level:5", noise=0.15),
        ENDING,
        PuzzleSource({}, "level:2", noise=0.3),
        PuzzleSource({"drops": "anywhere"}, "level:5", noise=0.1),
        ENDING,
        PuzzleSource({}, "level:6", noise=0.1),
    ),
    find=find,
    folder=Path(__file__).parent,
    by_tag={"ending": (ENDING,), "win against both": (OF_THREE,), "three left": (OF_THREE,)},
)
