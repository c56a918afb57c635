"""Whole turns of Sparklies on a line, and `deactivate everything`.

A turn on a line is its actions separated by spaces: ``+d4 c2=R c3=R b3=G``. The original page's way to write turns is
in ``long_notation``.
"""

from __future__ import annotations

from collections.abc import Iterable

from tercet.core.game import Action, Position
from tercet.errors import IllegalAction
from tercet.games.sparklies.kernels import layout
from tercet.games.sparklies.notation import action_text

MAX_TEXT = 100_000


def is_turn_start(position: Position) -> bool:
    """Return whether a turn has just ended or none has begun. Each action of a duel or a handicap is a turn."""
    return not position.turn_is_open


def turn_text(actions: Iterable[Action]) -> str:
    """The actions of a turn on a line."""
    return " ".join(str(action) for action in actions)


def read_turn(position: Position, text: str) -> list[Action]:
    """The actions of a turn, or of a part of one, written on a line; IllegalAction names the one that is not legal."""
    if len(text) > MAX_TEXT:
        raise IllegalAction(text[:40], f"A turn must have at most {MAX_TEXT} characters.")
    actions: list[Action] = []
    for word in text.split():
        if actions and is_turn_start(position):
            raise IllegalAction(word[:40], "The turn is already over.")
        action = position.action(word)
        actions.append(action)
        position = position.play(action)
    return actions


def turns(start: Position, actions: Iterable[Action | str]) -> list[list[Action]]:
    """A game's actions from ``start`` grouped into turns; the last may be incomplete."""
    found: list[list[Action]] = []
    position, fresh = start, True
    for played in actions:
        action = position.action(str(played))
        if fresh:
            found.append([])
        found[-1].append(action)
        position = position.play(action)
        fresh = is_turn_start(position)
    return found


def deactivate_everything(position: Position) -> list[Action]:
    """The pings of the gesture: active cells keep their colour (or turn the forced one), the first in reading order
    first, until none is left or four times the live cells have been resolved."""
    actions: list[Action] = []
    game = position.game
    while position.row[layout.STEP] == layout.PROPAGATE and not position.is_over:
        if len(actions) == 4 * len(game.board):
            break
        row = position.row
        cell = next(cell for cell in range(len(game.board)) if game.kernels.is_active(row, cell))
        forced = int(game.kernels.forced_colour(game.data, row, cell))
        colour = int(game.kernels.colour_at(row, cell)) if forced < 0 else forced
        action = position.action(action_text(game, row, 3 * cell + colour))
        actions.append(action)
        position = position.play(action)
    return actions
