"""Commands of a game's session, from what clients say on a table's socket."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tercet.answers.errors import AnswerError
from tercet.answers.wire.client_messages import CommandMessage, PlayMessage
from tercet.play.session import (
    Abort,
    AbsenceClaim,
    Answer,
    Command,
    LogEvent,
    OfferDraw,
    PlayAction,
    Propose,
    Resign,
    SessionError,
    Takeback,
)
from tercet.play.session.validation import is_outdated

__all__ = ["check_not_outdated", "command_of"]


def _actions(message: PlayMessage) -> list[str]:
    """Return the action of an ``act``, or its several ``actions``."""
    action, several = message.get("action"), message.get("actions")
    if (action is None) == (several is None):
        raise AnswerError("bad-message", "action", "Give either action or actions.")
    return several or [str(action)]


def command_of(
    message: CommandMessage,
    held: frozenset[int],
    *,
    lag: int | None = None,
    away: Callable[[int], int | None] = lambda _: None,
    table: str = "",
) -> Command:
    """Return the command that a message gives on behalf of the ``held`` seats. ``lag`` is the sender's, ``away`` says
    for how long the player of a seat has been gone (both in milliseconds), ``table`` would be the one of a rematch."""
    if message["type"] == "act":
        first, *more = _actions(message)
        return PlayAction(held, message["ply"], first, tuple(more), lag)
    if message["type"] == "takeback":
        return Takeback(held, message.get("ply"), message.get("at"))
    if message["type"] == "answer":
        return Answer(held, message["what"], message["yes"], table)
    if message["type"] == "abort":
        return Abort(held)
    if message["type"] == "claim":
        return AbsenceClaim(held, message["seat"], message["what"], away(message["seat"]))
    named = message.get("seat")
    seat = min(held, default=0) if named is None else named
    if message["type"] == "resign":
        return Resign(held, seat)
    return OfferDraw(held, seat) if message["type"] == "draw" else Propose(held, seat, message["type"], table)


def check_not_outdated(message: CommandMessage, command: Command, log: Sequence[LogEvent]) -> None:
    """Raise SessionError where the ``number`` of a message, the last event that its sender knew, is too old for its
    command."""
    known = message.get("number")
    if known is not None and is_outdated(command, log[known:]):
        raise SessionError("stale-ply", "number", "The game has gone on since this message was written.")
