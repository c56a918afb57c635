"""Engines: players that think, at any strength, and ways to ask them.

>>> import tercet
>>> from tercet.engines import Limits, engine
>>> game = tercet.game(tercet.games()[0])
>>> thought = engine("random", game, seed=1).think(game.start(), Limits())
>>> thought.action in game.start().legal_actions
True
"""

from tercet.engines.base import Engine, EngineError, Info, Limits, Line, OnInfo, Thought
from tercet.engines.levels import FULL, LEVELS, engine, engine_names, level, opponent_names
from tercet.engines.preparing import is_ready

__all__ = [
    "FULL",
    "LEVELS",
    "Engine",
    "EngineError",
    "Info",
    "Limits",
    "Line",
    "OnInfo",
    "Thought",
    "engine",
    "engine_names",
    "is_ready",
    "level",
    "opponent_names",
]
