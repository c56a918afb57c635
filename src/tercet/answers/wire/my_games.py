"""A person and their games, new, in progress and played, as clients are sent them."""

from __future__ import annotations

from typing import Literal, NotRequired

from tercet.answers.wire import TypedDict
from tercet.answers.wire.game_data import TitledGame
from tercet.answers.wire.table_messages import MySeat
from tercet.core.texts import GameName, PersonName, Text


class PersonResponse(TypedDict):
    """The public data of a person."""

    handle: str | None
    name: PersonName
    kind: Literal["guest", "account", "bot", "staff"]


class MeResponse(TypedDict):
    """The asking person; null if there is none yet. ``was`` is the name that they had, if an older account has one that
    reads like it: the server added a number to theirs, until they choose another."""

    person: PersonResponse | None
    was: NotRequired[PersonName]


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


class MyTable(TitledGame):
    """A game in progress."""

    id: str
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


class PlayedStart(TitledGame):
    """A position in which ``games`` of a person's games began; ``optionText`` has the options that are not usual."""

    optionText: str
    position: str
    games: int


class PlayedStarts(TypedDict):
    """Where a person's games began; ``loaded`` of them come from files."""

    starts: list[PlayedStart]
    loaded: int


class Continuation(TypedDict):
    """An action that was played in a position, in ``games`` of a person's games. In the ``decided`` ones the players
    got ``scores`` on average: shares of the point, null where none is decided."""

    text: str
    short: str
    games: int
    decided: int
    scores: list[float] | None


class GameThere(TypedDict):
    """A game that came to a position after ``ply`` actions: a ``table``, or one from a file (``loaded``)."""

    table: str | None
    loaded: str | None
    ply: int
    date: str
    result: str


class Continuations(TypedDict):
    """The ``games`` of a person that came to a position, how they ended, what was played there, and the ``latest``."""

    games: int
    decided: int
    scores: list[float] | None
    moves: list[Continuation]
    latest: list[GameThere]


class KeptGames(TypedDict):
    """How many games of a file were added; ``unread`` had mistakes."""

    games: int
    unread: int
