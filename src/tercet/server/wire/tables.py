"""Requests at a table, checked, and what its addresses answer."""

from __future__ import annotations

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from tercet.core.hints import Strength
from tercet.server.wire.lessons import Actions
from tercet.server.wire.requests import ClientSecret, RequestBody


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


class SatDown(TypedDict):
    """You sit there; ``token`` is null where you did already."""

    id: str
    seat: int
    token: str | None


class Stood(TypedDict):
    """You left the seat, as event ``number``."""

    id: str
    number: int


class LinkRequest(RequestBody):
    """The client's own id of the request: 22 or more random characters, which it tells no one else. If the answer is
    lost, the same request with the same id gets it again."""

    id: ClientSecret | None = None


class SitRequest(LinkRequest):
    """The same, and the name that a person who takes a seat wants at this table."""

    name: str | None = Field(default=None, max_length=40)


class SeatLink(TypedDict):
    """A new link to a seat."""

    id: str
    seat: int
    link: str


class HintRequest(RequestBody):
    """How much the hint tells: where to look (``place``), with which piece (``piece``), or the ``move``. ``moves`` are
    the actions of the turn that are chosen and not played."""

    strength: Strength
    moves: Actions = Field(default_factory=list)


class SeatRatingChange(BaseModel):
    """The rating of a seat's player, before the game and after it."""

    seat: int
    before: int
    after: int
    provisional: bool


class RatingChanges(BaseModel):
    """``counted``: whether the game has been counted; until then, and where it does not count, nothing has changed."""

    counted: bool
    seats: list[SeatRatingChange]
