"""What clients may ask, checked: the bodies of requests and the messages on the sockets."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tercet.server.errors import ApiError
from tercet.session import Abort, AbsenceClaim, Answer, Command, OfferDraw, PlayAction, Propose, Resign, Takeback

__all__ = [
    "AbsenceRequest",
    "AnalyseRequest",
    "DrawRequest",
    "ExploreRequest",
    "PositionRequest",
    "PreviewRequest",
    "RecordRequest",
    "RequestBody",
    "SeatRequest",
    "SitRequest",
    "StartRequest",
    "TableRequest",
    "WhyRequest",
    "WriteRecordRequest",
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

OptionValue = bool | int | Annotated[str, Field(max_length=2000)]
Options = Annotated[dict[Annotated[str, Field(max_length=40)], OptionValue], Field(max_length=40)]
PositionText = Annotated[str, Field(max_length=20_000)]
RecordText = Annotated[str, Field(max_length=200_000)]


class RequestBody(BaseModel):
    """A request's body; fields it does not know are refused."""

    model_config = ConfigDict(extra="forbid")


class PreviewRequest(RequestBody):
    """A board to look at before a table is opened; with a ``position`` of a game, that position; with ``moves``, what
    they lead to as well."""

    game: str = Field(max_length=40)
    options: Options = Field(default_factory=dict)
    seed: int | None = Field(default=None, ge=0, lt=1 << 53)
    position: PositionText | None = None
    moves: list[Annotated[str, Field(max_length=80)]] = Field(default_factory=list, max_length=40)


class SeatRequest(RequestBody):
    """The player of a seat: ``me``, another person ``here`` at my screen, a ``friend`` with a link, an ``engine``, a
    ``bot`` with a ``handle``, or the first to come (``open``)."""

    kind: Literal["me", "here", "friend", "engine", "open", "bot"]
    level: int | None = Field(default=None, ge=1, le=10)
    name: str | None = Field(default=None, max_length=40)
    handle: str | None = Field(default=None, max_length=24)


class SitRequest(RequestBody):
    """The name that a person who takes a seat wants at this table."""

    name: str | None = Field(default=None, max_length=40)


class AbsenceRequest(RequestBody):
    """What may be claimed against a player who has been away for ``after`` seconds: the ``win``, or an ``engine`` of
    a ``level`` in their seat."""

    after: int = Field(ge=30, le=60 * 86_400)
    then: list[Literal["win", "engine"]] = Field(min_length=1, max_length=2)
    level: int = Field(default=5, ge=1, le=10)


class StartRequest(RequestBody):
    """Where to begin: a position string, else a record, else the start of a game with options
    (``seed`` settles chance in it)."""

    game: str | None = Field(default=None, max_length=40)
    options: Options = Field(default_factory=dict)
    seed: int | None = Field(default=None, ge=0, lt=1 << 53)
    position: PositionText | None = None
    record: RecordText | None = None


class TableRequest(StartRequest):
    """A table to open; of a ``record``, or of the game at another ``table``, the first ``ply`` actions (all, where it
    is left out) are played already. ``takebacks`` true is ``consent``, false ``off``; left out, as the game has them.
    ``public`` is the same as ``watch`` ``public``; ``explore`` false closes all explorations to the players."""

    seats: list[SeatRequest] = Field(min_length=1, max_length=8)
    ply: int | None = Field(default=None, ge=0, le=MAX_NUMBER)
    takebacks: bool | Literal["off", "consent", "own"] | None = None
    clock: Annotated[dict[Annotated[str, Field(max_length=20)], str | int | float], Field(max_length=8)] | None = None
    confirm: bool = False
    chat: bool = False
    explore: bool = True
    table: str | None = Field(default=None, max_length=32)
    public: bool = False
    watch: Literal["public", "link", "private"] | None = None
    rated: bool = False
    gone: AbsenceRequest | None = None


class AnalyseRequest(StartRequest):
    """Moves to play from there."""

    moves: list[Annotated[str, Field(max_length=MAX_ACTION)]] = Field(default_factory=list, max_length=5000)


class PositionRequest(RequestBody):
    """Moves to play from a position."""

    position: PositionText
    moves: list[Annotated[str, Field(max_length=MAX_ACTION)]] = Field(default_factory=list, max_length=5000)


class RecordRequest(RequestBody):
    """A record to read."""

    text: RecordText


class TreeMove(RequestBody):
    """A move of a tree: the number (from 0) of the move ``after`` which it stands, -1 for a first move; its notation;
    a comment. Of several after the same one, the first is the main line."""

    after: int = Field(ge=-1)
    text: Annotated[str, Field(max_length=MAX_ACTION)]
    comment: str = Field(default="", max_length=4000)


class WriteRecordRequest(StartRequest):
    """A tree of moves from some start, each after the move that it follows, to be written as a record with these
    headers; ``comment`` stands before the first."""

    moves: list[TreeMove] = Field(default_factory=list, max_length=20_000)
    comment: str = Field(default="", max_length=4000)
    headers: dict[
        Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_]{0,63}$")], Annotated[str, Field(max_length=2000)]
    ] = Field(default_factory=dict, max_length=40)


class DrawRequest(RequestBody):
    """A position to draw."""

    position: PositionText
    size: int = Field(default=480, ge=40, le=4000)
    style: Literal["character", "letter", "symbol"] | None = None
    dark: bool = False
    coordinates: bool = True
    marks: bool = True


class ExploreRequest(RequestBody):
    """Something to find out about a position; ``cell`` where the exploration needs one."""

    position: PositionText
    id: str = Field(max_length=40)
    cell: str | None = Field(default=None, max_length=10)


class WhyRequest(RequestBody):
    """An action to ask about: whether it is legal, and if not, why. Instead of its notation the steps that would enter
    it may be given: cells, and picks as ``#id``."""

    position: PositionText
    action: str | None = Field(default=None, min_length=1, max_length=MAX_ACTION)
    steps: list[Annotated[str, Field(max_length=20)]] | None = Field(default=None, min_length=1, max_length=8)


def read_message(text: str) -> dict[str, Any]:
    """A socket message: an object with a ``type``."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise ApiError("bad-message", "message", "A message must be JSON.") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise ApiError("bad-message", "message", "A message must be an object with a type.")
    return message


def client_id_of(message: dict[str, Any]) -> str:
    """The id that the client gave the message."""
    found = message.get("id")
    if not isinstance(found, str) or not CLIENT_ID.fullmatch(found):
        raise ApiError(
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
        raise ApiError("bad-message", name, f"The field {name} must be a whole number from 0 to {most}.")
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
        raise ApiError("bad-message", "actions", f"The field actions must be a list of 1 to {MAX_BATCH} actions.")
    else:
        where = "actions"
    for action in several:
        if not isinstance(action, str) or not 0 < len(action) <= MAX_ACTION:
            raise ApiError("bad-message", where, "An action must be text in the game's notation.")
    return several


OFFERS = ("takeback", "draw", "adjourn", "continue", "rematch")
ROOMS = ("players", "watchers")
MAX_LINE = 500  # characters of something said


def line_of(message: dict[str, Any]) -> tuple[str, str, int | None]:
    """The room, the text and, where it is named, the seat of something said."""
    room, text = message.get("room"), message.get("text")
    if room not in ROOMS:
        raise ApiError("bad-message", "room", f"The field room must be one of {', '.join(ROOMS)}.")
    if not isinstance(text, str) or not 0 < len(text) <= MAX_LINE:
        raise ApiError("bad-message", "text", f"A chat message must have 1 to {MAX_LINE} characters.")
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
            raise ApiError("bad-message", "what", f"The field what must be one of {', '.join(OFFERS)}.")
        if not isinstance(yes, bool):
            raise ApiError("bad-message", "yes", "The field yes must be true or false.")
        return Answer(held, what, yes, table)
    if kind == "abort":
        return Abort(held)
    if kind == "claim":
        seat, what = whole_number(message, "seat", 8), message.get("what")
        if what not in ("win", "engine"):
            raise ApiError("bad-message", "what", "The field what must be win or engine.")
        return AbsenceClaim(held, seat, what, away(seat))
    if kind in ("resign", "draw", "adjourn", "continue", "rematch"):
        named = _optional(message, "seat", 8)
        seat = min(held, default=0) if named is None else named
        if kind == "resign":
            return Resign(held, seat)
        return OfferDraw(held, seat) if kind == "draw" else Propose(held, seat, kind, table)
    raise ApiError("bad-message", "type", f"There is no message of type {kind[:20]!r}.")
