"""Checks that several commands share, and the events that a command causes."""

from __future__ import annotations

from typing import Any, NamedTuple

from tercet.core.game import Transition
from tercet.play.session.errors import SessionError
from tercet.play.session.state import State

__all__ = ["Caused", "must_be_playing", "must_hold_seat", "must_not_be_over"]


class Caused(NamedTuple):
    """An event that a command causes, as kind and data, not numbered yet; for an action with its transition."""

    kind: str
    data: dict[str, Any]
    transition: Transition | None = None


def must_not_be_over(state: State) -> None:
    """SessionError where the game has ended."""
    if state.is_over:
        raise SessionError("over", "table", "The game was aborted." if state.aborted else "The game is over.")


def must_be_playing(state: State, *, adjourned: bool = False) -> None:
    """SessionError where the game has not begun or is over; or adjourned, unless that is no matter."""
    must_not_be_over(state)
    if state.waiting:
        missing = " and ".join(state.game.players[seat] for seat in state.waiting)
        raise SessionError("not-begun", "table", f"The seat of {missing} is still open. Wait for a player.")
    if state.adjourned and not adjourned:
        raise SessionError("adjourned", "table", "The game is adjourned until all players agree to continue.")


def must_hold_seat(state: State, seats: frozenset[int], seat: int) -> None:
    """SessionError where ``seat`` is not among those that the sender holds, or is out of the game."""
    if seat not in seats:
        raise SessionError("not-your-seat", "seat", "This seat is not yours.")
    if not state.in_game(seat):
        raise SessionError("not-possible", "seat", "This player is out of the game.")
