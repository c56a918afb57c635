"""Commands of a game's session, from what clients say on a table's socket."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import EllipsisType
from typing import Any

from tercet.answers.errors import AnswerError
from tercet.answers.names import clean
from tercet.answers.starts import GameStart
from tercet.answers.wire.client_messages import CommandMessage, PlayMessage
from tercet.play.session import (
    USUAL_ABSENCE,
    Abort,
    AbsenceClaim,
    Answer,
    Command,
    LogEvent,
    OfferDraw,
    PlayAction,
    Propose,
    Resign,
    Seat,
    SessionError,
    TableSettings,
    Takeback,
)
from tercet.play.session.validation import is_outdated

USUAL_LEVEL = 5  # of an engine


def table_settings(
    start: GameStart,
    seats: Sequence[Mapping[str, Any]],
    *,
    takebacks: bool | str | None = None,
    clock: Mapping[str, Any] | None = None,
    confirm: bool = False,
    chat: bool = False,
    explore: bool = True,
    public: bool = False,
    watch: str | None = None,
    rated: bool = False,
    gone: Mapping[str, Any] | EllipsisType | None = ...,
) -> TableSettings:
    """Return the settings of a table as a request for one describes it, with the usual ones in the place of those that
    it leaves out. Raise AnswerError where they contradict each other; :meth:`TableSettings.check` checks the rest."""
    if takebacks is None:
        takebacks = start.game.definition.takebacks
    elif isinstance(takebacks, bool):
        takebacks = "consent" if takebacks else "off"
    if isinstance(gone, EllipsisType):
        gone = dict(USUAL_ABSENCE) if clock is not None and clock.get("kind") != "correspondence" else None
    elif gone is not None:
        gone = {"level": USUAL_LEVEL, **gone}
    if public and watch not in (None, "public"):
        raise AnswerError("bad-option", "watch", "The fields watch and public contradict each other. Leave one out.")
    is_open = any(asked["kind"] == "open" for asked in seats)
    return TableSettings(
        start.game.name,
        start.game.options,
        tuple(_seat(number, asked, rated) for number, asked in enumerate(seats)),
        start.seed,
        start.position,
        start.moves,
        takebacks,
        clock,
        confirm,
        chat,
        gone,
        watch or ("public" if public or is_open else "link"),
        explore,
    )


def _seat(number: int, asked: Mapping[str, Any], rated: bool) -> Seat:
    """Return who is to sit in a seat."""
    kind, name, handle = asked["kind"], clean(asked.get("name") or ""), asked.get("handle")
    if kind == "bot":
        return Seat("bot", (handle or "").lower())
    if handle is not None:
        raise AnswerError("bad-option", f"seats.{number}.handle", "Only the seat of a bot has a username.")
    if kind == "engine":
        return Seat("engine", name, asked.get("level") or USUAL_LEVEL)
    if kind == "open" or (kind == "friend" and rated):
        return Seat("open")
    return Seat("person", name)


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
