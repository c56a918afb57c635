"""The games. To add one, write a folder here with a ``HOUSE`` and name it in ``NAMES``; nothing else."""

from __future__ import annotations

import functools
from importlib import import_module

from tercet.errors import OptionError
from tercet.game import House

__all__ = ["NAMES", "house"]

NAMES = ("sanqi", "triplicity", "sparklies")


@functools.cache
def house(name: str) -> House:
    """The definition of the game called ``name``; OptionError where there is none."""
    if name not in NAMES:
        raise OptionError("game", f"there is no game {name!r}; there are {', '.join(NAMES)}")
    found = import_module(f"tercet.games.{name}").HOUSE
    assert isinstance(found, House)
    return found
