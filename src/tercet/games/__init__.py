"""The games. To add one, write a folder here with a ``DEFINITION`` and name it in ``NAMES``; nothing else."""

from __future__ import annotations

import functools
from importlib import import_module

from tercet.definition import GameDefinition
from tercet.errors import OptionError

__all__ = ["NAMES", "game_definition"]

NAMES = ("sanqi", "triplicity", "sparklies")


@functools.cache
def game_definition(name: str) -> GameDefinition:
    """The definition of the game called ``name``; OptionError where there is none."""
    if name not in NAMES:
        raise OptionError("game", f"there is no game {name!r}; there are {', '.join(NAMES)}")
    found = import_module(f"tercet.games.{name}").DEFINITION
    assert isinstance(found, GameDefinition)
    return found
