"""What clients say on a table's socket, read and checked: messages become commands of the session."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from tercet.answers.errors import AnswerError
from tercet.session import (
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
from tercet.session.validation import is_outdated

__all__ = [
    "MAX_ACTION",
    "MAX_NUMBER",
    "check_not_outdated",
    "client_id_of",
    "command_of",
    "legible_id",
    "line_of",
    "read_message",
    "whole_number",
]

CLIENT_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
MAX_NUMBER = 1_000_000
MAX_ACTION = 400  # characters
MAX_BATCH = 1600  # actions of one message: a whole turn on the largest board
OFFERS = ("takeback", "draw", "adjourn", "continue", "rematch")
ROOMS = ("players", "watchers")
MAX_LINE = 500  # characters of something said


def read_message(text: str) -> dict[str, Any]:
    """A socket message: an object with a ``type``."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise AnswerError("bad-message", "message", "A message must be JSON.") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise AnswerError("bad-message", "message", "A message must be an object with a type.")
    return message


def client_id_of(message: dict[str, Any]) -> str:
    """The id that the client gave the message."""
    found = message.get("id")
    if not isinstance(found, str) or not CLIENT_ID.fullmatch(found):
        raise AnswerError(
            "bad-message", "id", "The field id must have 1 to 64 characters: letters, digits, and _ . : or -."
        )
    return found


def legible_id(text: str) -> str | None:
    """The id in a message that makes no sense otherwise, so that its refusal can bear it."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str) and CLIENT_ID.fullmatch(found) else None


def whole_number(message: dict[str, Any], name: str, most: int = MAX_NUMBER) -> int:
    """The number in field ``name``."""
    found = message.get(name)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= most:
        raise AnswerError("bad-message", name, f"The field {name} must be a whole number from 0 to {most}.")
    return found


def _optional(message: dict[str, Any], name: str, most: int = MAX_NUMBER) -> int | None:
    return None if message.get(name) is None else whole_number(message, name, most)


def _actions(message: dict[str, Any]) -> list[str]:
    """The action of an ``act``, or its several ``actions``."""
    several = message.get("actions")
    if several is None:
        several = [message.get("action")]
        where = "action"
    elif not isinstance(several, list) or not 0 < len(several) <= MAX_BATCH or "action" in message:
        raise AnswerError("bad-message", "actions", f"The field actions must be a list of 1 to {MAX_BATCH} actions.")
    else:
        where = "actions"
    for action in several:
        if not isinstance(action, str) or not 0 < len(action) <= MAX_ACTION:
            raise AnswerError("bad-message", where, "An action must be text in the game's notation.")
    return several


def line_of(message: dict[str, Any]) -> tuple[str, str, int | None]:
    """The room, the text and, where it is named, the seat of something said."""
    room, text = message.get("room"), message.get("text")
    if room not in ROOMS:
        raise AnswerError("bad-message", "room", f"The field room must be one of {', '.join(ROOMS)}.")
    if not isinstance(text, str) or not 0 < len(text) <= MAX_LINE:
        raise AnswerError("bad-message", "text", f"A chat message must have 1 to {MAX_LINE} characters.")
    return room, text, _optional(message, "seat", 8)


def command_of(
    message: dict[str, Any],
    held: frozenset[int],
    *,
    lag: int | None = None,
    away: Callable[[int], int | None] = lambda _: None,
    table: str = "",
) -> Command:
    """The command that a message gives on behalf of the ``held`` seats. ``lag`` is the sender's, ``away`` says for how
    long the player of a seat has been gone (both in milliseconds), ``table`` would be the one of a rematch."""
    kind = message["type"]
    if kind == "act":
        first, *more = _actions(message)
        return PlayAction(held, whole_number(message, "ply"), first, tuple(more), lag)
    if kind == "takeback":
        return Takeback(held, _optional(message, "ply"), _optional(message, "at"))
    if kind == "answer":
        what, yes = message.get("what"), message.get("yes")
        if what not in OFFERS:
            raise AnswerError("bad-message", "what", f"The field what must be one of {', '.join(OFFERS)}.")
        if not isinstance(yes, bool):
            raise AnswerError("bad-message", "yes", "The field yes must be true or false.")
        return Answer(held, what, yes, table)
    if kind == "abort":
        return Abort(held)
    if kind == "claim":
        seat, what = whole_number(message, "seat", 8), message.get("what")
        if what not in ("win", "engine"):
            raise AnswerError("bad-message", "what", "The field what must be win or engine.")
        return AbsenceClaim(held, seat, what, away(seat))
    if kind in ("resign", "draw", "adjourn", "continue", "rematch"):
        named = _optional(message, "seat", 8)
        seat = min(held, default=0) if named is None else named
        if kind == "resign":
            return Resign(held, seat)
        return OfferDraw(held, seat) if kind == "draw" else Propose(held, seat, kind, table)
    raise AnswerError("bad-message", "type", f"There is no message of type {kind[:20]!r}.")


def check_not_outdated(message: dict[str, Any], command: Command, log: Sequence[LogEvent]) -> None:
    """Raise SessionError where the ``number`` of a message, the last event that its sender knew, is too old for its
    command."""
    if message.get("number") is not None and is_outdated(command, log[whole_number(message, "number") :]):
        raise SessionError("stale-ply", "number", "The game has gone on since this message was written.")
