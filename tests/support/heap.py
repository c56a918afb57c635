"""A game as small as a game can be, to try the contract suite on: two players take one to three stones in turn, and
whoever takes the last one wins. `heap` makes the game with some of its kernels exchanged."""

import types
from collections.abc import Mapping
from typing import Any

import numpy as np

from tercet.core.boards import rectangle
from tercet.core.definition import GameDefinition
from tercet.core.game import Game
from tercet.core.rules import Rules
from tests.support import heap_kernels

STONES = 13
PLAYERS = ("First", "Second")


def pack(options: Mapping[str, Any], scales: tuple[float, ...] = ()) -> Rules:
    return Rules(
        data=np.array([STONES], np.int32), board=rectangle(STONES, 1), players=PLAYERS, row_size=2,
        actions=heap_kernels.MOST, max_legal=heap_kernels.MOST,
        max_events=1, reasons=("", "taken"), planes=("stones", "moves"), max_plies=STONES,
        plane_scales=scales,
    )  # fmt: skip


def heap(execution: str = "compiled", scales: tuple[float, ...] = (), **exchanged: Any) -> Game:
    """The game, with the kernels ``exchanged`` instead of its own and observations in ``scales``."""
    kernels: Any = types.ModuleType("kernels")
    vars(kernels).update({name: getattr(heap_kernels, name) for name in heap_kernels.RULES}, **exchanged)
    none: Any = None
    definition = GameDefinition(
        name="heap", title="Heap", designer="", year=1, summary="", options=(), kernels=kernels,
        pack=lambda options: pack(options, scales), notation=none, view=none,
    )  # fmt: skip
    return Game(definition, {}, execution)
