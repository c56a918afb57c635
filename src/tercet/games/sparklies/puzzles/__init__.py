"""Puzzles of Sparklies: most cells from one turn, the board filled by force, solitaires in the fewest turns."""

from pathlib import Path

from tercet.core.abilities.knowledge import Puzzles, PuzzleSource
from tercet.games.sparklies.puzzles.generator import find

__all__ = ["PUZZLES"]

SPEED = {"ruleset": "speed"}
SUBTLE = {"ruleset": "subtle"}
RULESETS = {"Subtle": SUBTLE, "Playtest 2": {"ruleset": "playtest2"}, "fill": SPEED}
BOARDS = (
    {"board": "5x5", **SPEED},
    {"board": "4x4", **SUBTLE},
    {"board": "5x5", **SUBTLE},
    {"board": "5x5", "players": 1, **SPEED},
    {"board": "6x6", **SPEED},
    {"board": "5x5", **SUBTLE},
    {"board": "6x6", **SUBTLE},
    {"board": "4x4", "players": 1, **SPEED},
    {"board": "4x4", "ruleset": "playtest2"},
    {"board": "8x8", **SPEED},
    {"board": "hex3", **SPEED},
)

# Chance alone finds as many positions of Subtle that can be tried out as an engine does, and more quickly.
RARE = {
    "Subtle": ("random", ("4x4", "5x5", "hex3", "6x6")),
    "Playtest 2": ("level:4", ("4x4", "5x5", "hex3")),
    "fill": ("level:4", ("4x4", "5x5", "6x6")),
}


def _source(engine: str = "level:4", **options: object) -> PuzzleSource:
    return PuzzleSource(options, engine, nodes=2000, noise=0.25)


PUZZLES = Puzzles(
    sources=tuple(_source(**options) for options in BOARDS),
    find=find,
    folder=Path(__file__).parent,
    by_tag={
        tag: tuple(_source(engine, board=board, **RULESETS[tag]) for board in boards)
        for tag, (engine, boards) in RARE.items()
    },
    named_options=("ruleset", "board"),
)
