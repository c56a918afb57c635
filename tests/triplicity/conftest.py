"""Positions from a list of men, for tests that read like diagrams."""

from collections.abc import Callable

import pytest

from tercet import Position
from tests.triplicity.men import Place, position_of


@pytest.fixture
def place() -> Place:
    """``place("wKb1 bKl12 rKb12", turn="W", tokens="10,10,10", states="a,a,a", quiet=0, pending="-", **options)``."""
    return position_of


Resign = Callable[[Position, int], Position]


@pytest.fixture
def resign() -> Resign:
    """``resign(position, player)``: the position after ``player`` has resigned."""

    def after(position: Position, player: int) -> Position:
        game = position.game
        row = position.row.copy()
        assert game.kernels.resign(game.data, row, player, game.new_events()) > 0
        return Position(game, row)

    return after
