"""Positions of Triplicity from a list of men, for tests that read like diagrams."""

from functools import cache
from typing import Any

import tercet
from tercet import Position
from tercet.core.boards import snub_triangle
from tercet.core.editing import counted_rows

KINGS = "wKb1 bKm12 rKb12 "


@cache
def game_of(options: tuple[tuple[str, Any], ...]) -> tercet.Game:
    return tercet.game("triplicity", **dict(options))


START = game_of(()).start()


def place(
    men: str,
    turn: str = "W",
    tokens: str = "10,10,10",
    states: str = "a,a,a",
    quiet: int = 0,
    pending: str = "-",
    **options: Any,
) -> Position:
    """``place("wKb1 bKl12 rKb12")``: those men and no others, each with owner, kind and cell."""
    game = game_of(tuple(sorted(options.items())))
    at = {game.board.index[man[2:]]: man[:2] for man in men.split()}
    assert len(at) == len(men.split()), "two men on one cell"
    rows = counted_rows(game.board, [at.get(cell, "") for cell in range(len(game.board))])
    changed = game.option_text(changed_only=True).replace(" ", ",")
    head = "triplicity" + (f"/{changed}" if changed else "")
    return game.parse(f"{head} {rows} {turn} {tokens} {states} {quiet} {pending}")


def immobile(**more: Any) -> Position:
    """White's men fill the board and can neither move nor buy; the other kings stand behind all their pawns."""
    others = {"c1": "bK", "b1": "rK", "f5": "wK"}
    men = [others.get(name, "wB" if name.endswith("13") else "wP") + name for name in snub_triangle().names]
    return place(" ".join(men), tokens="0,15,15", **more)


def resign(position: Position, player: int) -> Position:
    game, row = position.game, position.row.copy()
    assert game.kernels.resign(game.data, row, player, game.new_events()) > 0
    return Position(game, row)


def agreed(position: Position) -> Position:
    game, row = position.game, position.row.copy()
    assert game.kernels.draw_agreed(game.data, row, game.new_events()) == 1
    return Position(game, row)


def ends(game: tercet.Game, action: int) -> tuple[int, int]:
    """The cells from which and to which a move goes."""
    return int(game.kernels.source(game.data, action)), int(game.kernels.target(game.data, action))


def tokens(position: Position) -> tuple[int, ...]:
    return tuple(int(number) for number in str(position).split()[3].split(","))


def states(position: Position) -> str:
    return str(position).split()[4]


def kinds(position: Position, text: str) -> list[str]:
    return [event.kind for event in position.transition(text).events]
