"""Positions from a list of men, for tests that read like diagrams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tercet
from tercet import Position

Place = Callable[..., Position]


@pytest.fixture
def place() -> Place:
    """``place("wKb1 bKl12 rKb12", turn="W", tokens="10,10,10", states="a,a,a", quiet=0, pending="-", **options)``."""

    def make(
        men: str,
        turn: str = "W",
        tokens: str = "10,10,10",
        states: str = "a,a,a",
        quiet: int = 0,
        pending: str = "-",
        felled: bool = False,
        **options: Any,
    ) -> Position:
        game = tercet.game("triplicity", **options)
        at = {game.board.index[man[2:]]: man[:2] for man in men.split()}
        assert len(at) == len(men.split()), "two men on one cell"
        rows = []
        for cells in game.board.rows:
            text, empty = "", 0
            for cell in cells:
                if cell in at:
                    text += (str(empty) if empty else "") + at[cell]
                    empty = 0
                else:
                    empty += 1
            rows.append(text + (str(empty) if empty else ""))
        changed = game.option_text(changed_only=True).replace(" ", ",")
        head = "triplicity" + (f"/{changed}" if changed else "")
        fields = [head, "/".join(rows), turn, tokens, states, str(quiet), pending, *(["k"] if felled else [])]
        return game.parse(" ".join(fields))

    return make


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
