"""Everything that a table asks of a game, asked once: so that all it needs is compiled before anything is asked on the
event loop, which must not wait for a compiler."""

from __future__ import annotations

import contextlib
import functools
import random

import tercet
from tercet.errors import IllegalAction
from tercet.game import Position
from tercet.presentation import position_view
from tercet.server.tables.messages import view_of
from tercet.session import Seat, Session, TableSettings

__all__ = ["exercise"]

FIRST = 8  # actions that are played as at a table; the others only lead to an end
MOST = 4000  # actions


@functools.cache
def exercise(name: str) -> None:
    """Do with the game of that name what tables do with it. Compiles what is not compiled (half a minute where nothing
    is); without that it takes a fraction of a second, and nothing the second time."""
    chance = random.Random(1)
    seats = tuple(Seat("person") for _ in tercet.game(name).players)
    session = Session.open(TableSettings(name, {}, seats))
    for _ in range(FIRST):
        if session.is_over:
            break
        view_of(session, paths=True)
        session = session.with_action(str(_any(session.position, chance)))
    _ask(session.position)
    position = session.position
    for _ in range(MOST):
        if position.is_over:
            break
        position = position.play(_any(position, chance))
    position_view(position)


def _any(position: Position, chance: random.Random) -> tercet.Action:
    legal = position.legal_actions
    chosen: tercet.Action = legal[chance.randrange(len(legal))]
    return chosen


def _ask(position: Position) -> None:
    """What is asked more rarely."""
    definition = position.game.definition
    tercet.parse(str(position))
    position.without_history()
    for seat in range(len(position.game.players)):
        position.may_resign(seat)
    with contextlib.suppress(IllegalAction):
        if definition.agreement is not None:
            position.agree_draw()
    with contextlib.suppress(IllegalAction):
        if definition.resignation is not None:
            position.resign(position.mover or 0)
    legal = set(position.legal_actions.ids)
    illegal = next((number for number in range(position.game.rules.actions) if number not in legal), None)
    with contextlib.suppress(IllegalAction):
        if illegal is not None:
            position.play(illegal)
