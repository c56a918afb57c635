"""A person's games, in progress and played, as clients are sent them."""

from __future__ import annotations

from typing import Literal

from tercet.answers.wire import TypedDict
from tercet.answers.wire.table_state import Badge
from tercet.texts import GameName, PersonName, Text

__all__ = ["GamesResponse", "MyTables"]


class MySeat(TypedDict):
    """Who sits there."""

    kind: Literal["person", "engine", "open", "bot"]
    level: int | None
    name: PersonName | None
    handle: str | None
    badge: Badge


class MyTable(TypedDict):
    """A game in progress."""

    id: str
    game: GameName
    title: Text
    speed: str
    seats: list[MySeat]
    mover: int | None
    over: bool
    yourSeats: list[int]


class MyTables(TypedDict):
    """A person's games in progress."""

    tables: list[MyTable]


class GameSeatResponse(TypedDict):
    """The player of a seat; ``name`` is null if they gave none."""

    name: PersonName | None
    handle: str | None
    kind: str
    level: int | None


class GameResponse(TypedDict):
    """A game of a person: ``seat`` is theirs, ``result`` their result."""

    id: str
    game: GameName
    speed: str
    opened: int
    ended: int | None
    seats: list[GameSeatResponse]
    seat: int
    result: Literal["won", "drawn", "lost", "playing", "off"]
    says: Text
    rated: bool


class GamesResponse(TypedDict):
    """Games, the latest first; ``more``: what ``before`` is to be for the next page, null on the last."""

    games: list[GameResponse]
    more: str | None
