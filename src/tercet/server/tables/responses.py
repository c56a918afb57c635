"""What a table's addresses answer."""

from __future__ import annotations

from typing_extensions import TypedDict

from tercet.server.protocol.game_data import Move, PositionView
from tercet.view import Mark

__all__ = [
    "HintData",
    "OpenedTable",
    "PastPosition",
    "SatDown",
    "SeatLink",
    "Stood",
]


class OpenedSeat(TypedDict):
    """What opens a seat: a token for you, or a link for a friend. It appears only here."""

    seat: int
    token: str | None
    link: str | None


class OpenedTable(TypedDict):
    """A new table."""

    id: str
    seats: list[OpenedSeat]
    watch: str


class PastPosition(TypedDict):
    """The game as it stood after ``ply`` actions: the position without ways to go on, and the action that led there."""

    id: str
    ply: int
    view: PositionView
    move: Move | None


class HintData(TypedDict):
    """A hint at a move of the position after ``ply`` actions: a sentence, marks for the board, and, with the strongest,
    the ``action`` (else null)."""

    ply: int
    says: str
    marks: list[Mark]
    action: str | None


class SatDown(TypedDict):
    """You sit there; ``token`` is null where you did already."""

    id: str
    seat: int
    token: str | None


class Stood(TypedDict):
    """You left the seat, as event ``number``."""

    id: str
    number: int


class SeatLink(TypedDict):
    """A new link to a seat."""

    id: str
    seat: int
    link: str
