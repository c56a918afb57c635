"""What the addresses of the lobby and of one's own games answer."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

__all__ = ["MyTables"]


class MySeat(TypedDict):
    """Who sits there."""

    kind: Literal["person", "engine", "open", "bot"]
    level: int | None
    name: str | None
    handle: str | None


class MyTable(TypedDict):
    """A game that somebody plays now."""

    id: str
    game: str
    title: str
    speed: str
    seats: list[MySeat]
    mover: int | None
    over: bool
    yourSeats: list[int]


class MyTables(TypedDict):
    """The games that somebody plays now."""

    tables: list[MyTable]
