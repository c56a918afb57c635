"""What a client says on a table's socket (``/api/tables/{id}/live``)."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from tercet.server.wire.table_state import ChatRoom, OfferKind

__all__ = ["ClientMessage", "PingMessage"]


class PlayMessage(TypedDict):
    """Play ``action``, or several ``actions`` of yours, after ``ply`` actions; ``number``: the last event you know of,
    since which the game may not have gone on."""

    type: Literal["act"]
    id: str
    ply: int
    number: NotRequired[int | None]
    action: NotRequired[str]
    actions: NotRequired[list[str]]


class TakebackMessage(TypedDict):
    """Go back to ``ply`` actions, or to before your own last turn; ``at``: how many actions you know of;
    ``number`` as in ``act``."""

    type: Literal["takeback"]
    id: str
    number: NotRequired[int | None]
    ply: NotRequired[int | None]
    at: NotRequired[int | None]


class AnswerMessage(TypedDict):
    """Yes or no to an offer; the proposer's no withdraws it. ``number``: the last event you know of, since which the
    offer may not have been made."""

    type: Literal["answer"]
    id: str
    number: NotRequired[int | None]
    what: OfferKind
    yes: bool


class SeatMessage(TypedDict):
    """Resign, or propose something, in ``seat`` (the first of yours, if left out)."""

    type: Literal["resign", "draw", "adjourn", "continue", "rematch"]
    id: str
    seat: NotRequired[int | None]


class AbortMessage(TypedDict):
    """Call the game off before its second turn."""

    type: Literal["abort"]
    id: str


class ClaimMessage(TypedDict):
    """Claim against the player of ``seat``, who has gone."""

    type: Literal["claim"]
    id: str
    seat: int
    what: Literal["win", "engine"]


class SayMessage(TypedDict):
    """Say something."""

    type: Literal["say"]
    id: str
    room: ChatRoom
    text: str
    seat: NotRequired[int | None]


class SnapshotMessage(TypedDict):
    """Ask for a snapshot."""

    type: Literal["snapshot"]


class PingMessage(TypedDict):
    """Ask for a sign of life."""

    type: Literal["ping"]
    id: NotRequired[str]


class PongMessage(TypedDict):
    """The answer to ``ping?``."""

    type: Literal["pong"]
    n: int


ClientMessage = (
    PlayMessage
    | TakebackMessage
    | AnswerMessage
    | SeatMessage
    | AbortMessage
    | ClaimMessage
    | SayMessage
    | SnapshotMessage
    | PingMessage
    | PongMessage
)
