"""Positions from a list of men."""

from collections.abc import Callable
from functools import cache
from typing import Any

import tercet
from tercet import Position

Place = Callable[..., Position]


@cache
def game_of(options: tuple[tuple[str, Any], ...]) -> tercet.Game:
    """Triplicity under these options."""
    return tercet.game("triplicity", **dict(options))


def position_of(
    men: str,
    turn: str = "W",
    tokens: str = "10,10,10",
    states: str = "a,a,a",
    quiet: int = 0,
    pending: str = "-",
    felled: bool = False,
    **options: Any,
) -> Position:
    """``position_of("wKb1 bKl12 rKb12")``: those men and nobody else's, each with owner, kind and cell."""
    game = game_of(tuple(sorted(options.items())))
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


def tokens(position: Position) -> tuple[int, ...]:
    return tuple(int(number) for number in str(position).split()[3].split(","))


def states(position: Position) -> str:
    return str(position).split()[4]


def kinds(position: Position, text: str) -> list[str]:
    return [event.kind for event in position.transition(text).events]


def texts(position: Position) -> set[str]:
    return {str(action) for action in position.legal_actions}
