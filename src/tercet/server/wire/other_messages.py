"""What is said on the sockets of the lobby and of tournaments."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from tercet.answers.wire.client_messages import PingMessage
from tercet.answers.wire.table_messages import ErrorMessage, Pong
from tercet.answers.wire.table_state import Badge, RatingView
from tercet.core.texts import GameName, PersonName, Text
from tercet.server.wire.lobby import PairingTime
from tercet.server.wire.tournaments import TournamentResponse


class LobbySeat(TypedDict):
    """A seat and who sits there."""

    player: Text
    kind: Literal["person", "engine", "open", "bot"]
    level: int | None
    name: PersonName | None
    handle: str | None
    badge: Badge
    rating: RatingView | None


class ListedGame(TypedDict):
    """A table in the list."""

    id: str
    game: GameName
    title: Text
    optionText: str
    speed: str
    rated: bool
    seats: list[LobbySeat]


class OpenGame(ListedGame):
    """A table that waits for players, opened ``at`` (milliseconds)."""

    clock: dict[str, Any] | None
    takebacks: Literal["off", "consent", "own"]
    chat: bool
    explore: bool
    fromPosition: bool
    at: int


class LiveGame(ListedGame):
    """A game that may be watched."""

    watchers: int
    ply: int


class SeekingPeople(TypedDict):
    """How many people wait to be paired for such a game."""

    game: str
    time: PairingTime
    rated: bool
    people: int


class LobbyData(TypedDict):
    """A ``page`` (from 0) of the ``total`` of tables that wait, what is being played, who waits to be paired, and how
    many people are ``online`` (rounded down to two digits)."""

    open: list[OpenGame]
    live: list[LiveGame]
    total: int
    page: int
    online: int
    seeking: list[SeekingPeople]


class LobbyMessage(LobbyData):
    """The same, on the socket."""

    type: Literal["lobby"]


class LobbyChangesMessage(TypedDict):
    """The changes since the last message (``changes=true``): ``open`` and ``live`` are the listed ids, in their
    order; new and changed tables are in full."""

    type: Literal["lobby-changes"]
    total: int
    page: int
    online: int
    seeking: list[SeekingPeople]
    open: list[str]
    live: list[str]
    openChanged: list[OpenGame]
    liveChanged: list[LiveGame]


LobbyServerMessage = LobbyMessage | LobbyChangesMessage | Pong | ErrorMessage
LobbyClientMessage = PingMessage


class NewsMessage(TypedDict):
    """A challenge or a game of yours has come or gone, or may have: ask again."""

    type: Literal["news"]


NewsServerMessage = NewsMessage | Pong | ErrorMessage


class TournamentMessage(TournamentResponse):
    """A tournament as it is now."""

    type: Literal["tournament"]


TournamentServerMessage = TournamentMessage | ErrorMessage
