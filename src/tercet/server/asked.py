"""What clients may ask, checked: the bodies of requests and the messages on the sockets."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from tercet.play import Act, Answer, Command, OfferDraw, Resign, Takeback
from tercet.server.faults import Fault

__all__ = [
    "AnalyseAsk",
    "DrawAsk",
    "ExploreAsk",
    "PreviewAsk",
    "RecordAsk",
    "SeatAsk",
    "StartAsk",
    "TableAsk",
    "WhyAsk",
    "command_of",
    "read_message",
    "whole_number",
]

CLIENT_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
MAX_NUMBER = 1_000_000
MAX_ACTION = 400  # characters
MAX_BATCH = 1600  # actions of one message: to deactivate everything on the largest board

OptionValue = bool | int | Annotated[str, Field(max_length=2000)]
Options = Annotated[dict[Annotated[str, Field(max_length=40)], OptionValue], Field(max_length=40)]
PositionText = Annotated[str, Field(max_length=20_000)]
RecordText = Annotated[str, Field(max_length=400_000)]


class Asked(BaseModel):
    """A request's body; fields it does not know are refused."""

    model_config = ConfigDict(extra="forbid")


class PreviewAsk(Asked):
    """A board to look at before a table is opened."""

    game: str = Field(max_length=40)
    options: Options = Field(default_factory=dict)
    seed: int | None = Field(default=None, ge=0, lt=1 << 53)


class SeatAsk(Asked):
    """Who is to sit there: ``me``, somebody ``here`` at my screen, a ``friend`` with a link, or an ``engine``."""

    kind: Literal["me", "here", "friend", "engine"]
    level: int | None = Field(default=None, ge=1, le=8)
    name: str | None = Field(default=None, max_length=40)


class StartAsk(Asked):
    """Where to begin: a position string, else a record, else the start of a game with options
    (``seed`` settles chance in it)."""

    game: str | None = Field(default=None, max_length=40)
    options: Options = Field(default_factory=dict)
    seed: int | None = Field(default=None, ge=0, lt=1 << 53)
    position: PositionText | None = None
    record: RecordText | None = None


class TableAsk(StartAsk):
    """A table to open; of a ``record`` the first ``ply`` actions (all, where it is left out) are played already.
    ``takebacks`` true is ``consent``, false ``off``."""

    seats: list[SeatAsk] = Field(min_length=1, max_length=8)
    ply: int | None = Field(default=None, ge=0, le=MAX_NUMBER)
    takebacks: bool | Literal["off", "consent", "own"] = True
    clock: Annotated[dict[Annotated[str, Field(max_length=20)], str | int | float], Field(max_length=8)] | None = None
    confirm: bool = False
    chat: bool = False


class AnalyseAsk(StartAsk):
    """Moves to play from there."""

    moves: list[Annotated[str, Field(max_length=MAX_ACTION)]] = Field(default_factory=list, max_length=5000)


class RecordAsk(Asked):
    """A record to read."""

    text: RecordText


class DrawAsk(Asked):
    """A position to draw."""

    position: PositionText
    size: int = Field(default=480, ge=40, le=4000)
    style: Literal["character", "letter", "symbol"] | None = None
    dark: bool = False
    coordinates: bool = True
    marks: bool = True


class ExploreAsk(Asked):
    """Something to find out about a position; ``cell`` where the exploration needs one."""

    position: PositionText
    id: str = Field(max_length=40)
    cell: str | None = Field(default=None, max_length=10)


class WhyAsk(Asked):
    """An action to ask about: whether it is legal, and if not, why."""

    position: PositionText
    action: str = Field(min_length=1, max_length=MAX_ACTION)


def read_message(text: str) -> dict[str, Any]:
    """A socket message: an object with a ``type``."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        raise Fault("bad-message", "message", "is not JSON") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise Fault("bad-message", "message", "is an object with a type")
    return message


def client_id_of(message: dict[str, Any]) -> str:
    """The id that the client gave the message."""
    found = message.get("id")
    if not isinstance(found, str) or not CLIENT_ID.fullmatch(found):
        raise Fault("bad-message", "id", "is 1 to 64 letters, digits or any of _ . : -")
    return found


def whole_number(message: dict[str, Any], name: str, most: int = MAX_NUMBER) -> int:
    """The number in field ``name``."""
    found = message.get(name)
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= most:
        raise Fault("bad-message", name, f"is a whole number from 0 to {most}")
    return found


def _optional(message: dict[str, Any], name: str) -> int | None:
    return None if message.get(name) is None else whole_number(message, name)


def _actions(message: dict[str, Any]) -> list[str]:
    """The action of an ``act``, or its several ``actions``."""
    several = message.get("actions")
    if several is None:
        several = [message.get("action")]
        where = "action"
    elif not isinstance(several, list) or not 0 < len(several) <= MAX_BATCH or "action" in message:
        raise Fault("bad-message", "actions", f"is a list of 1 to {MAX_BATCH} actions, instead of action")
    else:
        where = "actions"
    for action in several:
        if not isinstance(action, str) or not 0 < len(action) <= MAX_ACTION:
            raise Fault("bad-message", where, "is an action's notation")
    return several


def command_of(message: dict[str, Any], held: frozenset[int]) -> tuple[Command, str]:
    """The command that a message gives on behalf of the ``held`` seats, and its client id."""
    kind = message["type"]
    if kind == "act":
        client_id = client_id_of(message)
        first, *more = _actions(message)
        return Act(held, whole_number(message, "ply"), first, tuple(more)), client_id
    if kind == "takeback":
        return Takeback(held, _optional(message, "ply"), _optional(message, "at")), client_id_of(message)
    if kind == "answer":
        what, yes = message.get("what"), message.get("yes")
        if what not in ("takeback", "draw"):
            raise Fault("bad-message", "what", "is takeback or draw")
        if not isinstance(yes, bool):
            raise Fault("bad-message", "yes", "is true or false")
        return Answer(held, what, yes), client_id_of(message)
    if kind in ("resign", "draw"):
        seat = min(held, default=0) if message.get("seat") is None else whole_number(message, "seat", 8)
        made: Command = Resign(held, seat) if kind == "resign" else OfferDraw(held, seat)
        return made, client_id_of(message)
    raise Fault("bad-message", "type", f"there is no message {kind[:20]!r}")
