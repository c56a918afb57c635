"""How a table stands, as its messages tell it."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from tercet.answers.wire import TypedDict
from tercet.answers.wire.game_data import Move, PositionView
from tercet.core.texts import PersonName, Text
from tercet.core.view import Mark

__all__ = [
    "AbsenceRule",
    "ActionState",
    "AwayView",
    "Badge",
    "ChatRoom",
    "ClaimKind",
    "ClockView",
    "HintData",
    "HintStep",
    "Links",
    "OfferKind",
    "OfferView",
    "PastPosition",
    "RatingView",
    "SeatKind",
    "SeatView",
    "SnapshotState",
    "TableStateData",
    "TakebackRule",
    "Watch",
]

OfferKind = Literal["takeback", "draw", "adjourn", "continue", "rematch"]
ChatRoom = Literal["players", "watchers"]


class RatingView(TypedDict):
    """A rating with its interval of 95 %."""

    rating: int
    low: int
    high: int
    provisional: bool


Badge = Literal["guest", "engine", "bot", "moderator"] | None
SeatKind = Literal["person", "engine", "open", "bot"]
ClaimKind = Literal["win", "engine"]
TakebackRule = Literal["off", "consent", "own"]
Watch = Literal["public", "link", "private"]


class SeatView(TypedDict):
    """Who sits there. ``badge``: the mark to show beside the name, null for an account; ``here``: the seat is yours."""

    kind: SeatKind
    level: int | None
    name: PersonName | None
    handle: str | None
    badge: Badge
    rating: RatingView | None
    here: bool


class OfferView(TypedDict):
    """What ``seat`` proposes, and the seats whose answer is awaited; ``ply``: of a takeback, what it goes back to."""

    seat: int
    what: OfferKind
    ply: int | None
    awaited: list[int]


class ClockView(TypedDict):
    """Clocks as they were at ``at``, the server's milliseconds. ``left`` in milliseconds; ``periods`` of byo-yomi."""

    kind: str
    control: dict[str, Any]
    running: int | None
    left: list[int]
    periods: list[int] | None
    at: int
    lag: list[int]


class AbsenceRule(TypedDict):
    """What may be claimed against a player who has been away for ``after`` seconds."""

    after: int
    then: list[ClaimKind]
    level: NotRequired[int]


class AwayView(TypedDict):
    """A seat whose player left at ``since`` (the server's milliseconds), or who never ``came``."""

    seat: int
    since: int
    came: bool


class Links(TypedDict):
    """Addresses to give to others."""

    watch: str


class TableStateData(TypedDict):
    """The state of a table, as its client may know it. ``takebacks`` says whether there are any, ``takebackRule``
    how; ``out`` are the seats that play no more while the game goes on, ``claims`` by seat what may be claimed
    against a player who has been away long enough."""

    number: int
    ply: int
    view: PositionView
    mover: int | None
    yourSeats: list[int]
    over: bool
    result: Text
    aborted: bool
    abortable: bool
    begun: bool
    waiting: list[int]
    adjourned: bool
    rematch: str | None
    after: str | None
    tournament: str | None
    offers: list[OfferView]
    playsOn: bool
    resigned: list[int]
    out: list[int]
    seats: list[SeatView]
    replaced: list[int]
    left: list[int]
    flagged: list[int]
    takebacks: bool
    takebackRule: TakebackRule
    retractions: list[int] | None
    confirm: bool
    chat: bool
    explore: bool
    clock: ClockView | None
    gone: AbsenceRule | None
    public: bool
    watch: Watch
    rated: bool
    short: bool
    speed: str
    creator: bool
    away: list[AwayView]
    claims: list[list[ClaimKind]]
    links: Links


class SnapshotState(TableStateData):
    """The state, and every move of the game."""

    moves: list[Move]


class ActionState(TableStateData):
    """The state that an action led to, and that action."""

    move: Move


class PastPosition(TypedDict):
    """The game as it stood after ``ply`` actions: the position without ways to go on, and the action that led there."""

    id: str
    ply: int
    view: PositionView
    move: Move | None


class HintStep(TypedDict):
    """A hint at one action in ``position``: a sentence, and marks for the board."""

    position: str
    says: Text
    marks: list[Mark]


class HintData(HintStep):
    """A hint at a move of the position after ``ply`` actions. With the strongest, the ``action`` (else null), and what
    ``then`` follows in the turn."""

    ply: int
    action: str | None
    then: list[HintStep]
