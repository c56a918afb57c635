"""What is said on a table's socket (``/api/tables/{id}/live``), both ways, and answered by its addresses.

A long list of types, one for each message: the page's types are generated from it."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from tercet.engines import Info
from tercet.game import Event
from tercet.server.protocol.game_data import Move, PositionView, TableView

__all__ = [
    "ClientMessage",
    "MyTables",
    "NumberData",
    "OpenedTable",
    "PastPosition",
    "RatingView",
    "SatDown",
    "SeatLink",
    "ServerMessage",
    "Snapshot",
    "Stood",
]

OfferKind = Literal["takeback", "draw", "adjourn", "continue", "rematch"]
ChatRoom = Literal["players", "watchers"]


class RatingView(TypedDict):
    """A rating with its interval of 95 %."""

    rating: int
    low: int
    high: int
    provisional: bool


class SeatView(TypedDict):
    """Who sits there. ``here``: the seat is yours."""

    kind: Literal["person", "engine", "open", "bot"]
    level: int | None
    name: str | None
    handle: str | None
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
    then: list[Literal["win", "engine"]]
    level: NotRequired[int]


class AwayView(TypedDict):
    """A seat whose player left at ``since`` (the server's milliseconds)."""

    seat: int
    since: int


class Links(TypedDict):
    """Addresses to give to others."""

    watch: str


class TableState(TypedDict):
    """How a table stands, as its client may know. ``takebacks`` says whether there are any, ``takebackRule`` how."""

    number: int
    ply: int
    view: PositionView
    mover: int | None
    yourSeats: list[int]
    over: bool
    result: str
    aborted: bool
    abortable: bool
    begun: bool
    waiting: list[int]
    adjourned: bool
    rematch: str | None
    after: str | None
    tournament: str | None
    offers: list[OfferView]
    resigned: list[int]
    seats: list[SeatView]
    replaced: list[int]
    left: list[int]
    flagged: list[int]
    takebacks: bool
    takebackRule: Literal["off", "consent", "own"]
    retractions: list[int] | None
    confirm: bool
    chat: bool
    clock: ClockView | None
    gone: AbsenceRule | None
    public: bool
    watch: Literal["public", "link", "private"]
    rated: bool
    speed: str
    creator: bool
    away: list[AwayView]
    links: Links


class SnapshotState(TableState):
    """The state, and every move of the game."""

    moves: list[Move]


class ActionState(TableState):
    """The state that an action led to, and that action."""

    move: Move


class Snapshot(TypedDict):
    """Everything that is needed to show the table. ``start`` is the position before the first move; ``tallies`` are the
    numbers of ``view.standing`` before the first move and after each, null where the game has none."""

    type: Literal["snapshot"]
    id: str
    table: TableView
    start: str
    tallies: list[list[float]] | None
    state: SnapshotState


class EventBase(TypedDict):
    """Something happened, the ``number``-th thing at this table. ``at``: when, at a table with a clock."""

    type: Literal["event"]
    number: int
    at: NotRequired[int]


class ActionEvent(EventBase):
    """An action was played. ``events`` are what it caused, in order; ``lag``: milliseconds given back for the line."""

    kind: Literal["action"]
    ply: int
    seat: int
    action: str
    lag: NotRequired[int]
    events: list[Event]
    says: list[str]
    state: ActionState


class TakebackEvent(EventBase):
    """The game went back to ``ply`` actions. ``own``: a retraction that needed nobody's consent."""

    kind: Literal["takeback"]
    ply: int
    seat: int
    own: NotRequired[bool]
    state: TableState


class SeatEvent(EventBase):
    """Somebody took the seat or left it, gave up, ran out of time, or its link was replaced."""

    kind: Literal["sit", "stand", "resign", "flag", "link"]
    seat: int
    name: NotRequired[str]
    state: TableState


class OfferEvent(EventBase):
    """Something was proposed, or refused (``seat`` is whose answer it was, or who withdrew it)."""

    kind: Literal["offer", "declined"]
    seat: int
    what: OfferKind
    ply: NotRequired[int]
    state: TableState


class AgreedEvent(EventBase):
    """Some of those who were asked said yes."""

    kind: Literal["agreed"]
    seats: list[int]
    what: OfferKind
    state: TableState


class ClaimEvent(EventBase):
    """The player of ``seat`` was found absent; ``by`` is null where a tournament ruled so."""

    kind: Literal["claim"]
    seat: int
    by: int | None
    what: Literal["win", "engine"]
    level: NotRequired[int]
    state: TableState


class EndEvent(EventBase):
    """The game was ended by agreement (``over``), or called off (``abort``: by a seat, or for a reason)."""

    kind: Literal["over", "abort"]
    seat: NotRequired[int]
    reason: NotRequired[str]
    state: TableState


class BreakEvent(EventBase):
    """A break began or ended."""

    kind: Literal["adjourn", "continue"]
    state: TableState


class RematchEvent(EventBase):
    """The rematch is played at table ``id``."""

    kind: Literal["rematch"]
    id: str
    state: TableState


class ResumedEvent(EventBase):
    """The clocks had stood still for ``lost`` milliseconds."""

    kind: Literal["resumed"]
    lost: int
    state: TableState


class Ack(TypedDict):
    """Your message ``id`` was done and is on disk, as event ``number``; ``talk``: the number of what was said."""

    type: Literal["ack"]
    id: str
    number: int
    talk: NotRequired[int]


class ErrorMessage(TypedDict):
    """A message was refused, or something went wrong; ``id`` of the message where it had one."""

    type: Literal["error"]
    code: str
    where: str
    why: str
    id: NotRequired[str]


class Thinking(TypedDict):
    """How far the engine in ``seat`` has come. ``preparing``: it does not think yet, its code is being compiled, which
    happens once on a machine and may take half a minute."""

    type: Literal["thinking"]
    seat: int
    info: Info
    preparing: bool


class Pong(TypedDict):
    """An answer to ``ping``."""

    type: Literal["pong"]
    id: NotRequired[str]


class LagQuestion(TypedDict):
    """To be answered at once by ``pong`` with the same ``n``: so the time on the line is measured."""

    type: Literal["ping?"]
    n: int


class SeatPresence(TypedDict):
    """Since when (the server's milliseconds) the player of ``seat`` is away; null: he is here."""

    seat: int
    since: int | None


class PresenceMessage(TypedDict):
    """Who is here."""

    type: Literal["here"]
    seats: list[SeatPresence]
    watchers: int


class ChatLine(TypedDict):
    """Something said, ``at`` milliseconds."""

    number: int
    room: ChatRoom
    seat: int | None
    name: str
    handle: str | None
    text: str
    at: int


class ChatMessage(ChatLine):
    """Something is said now."""

    type: Literal["talk"]


class ChatHistory(TypedDict):
    """The last lines of what you may read; they take the place of what is known."""

    type: Literal["talked"]
    lines: list[ChatLine]


TableEvent = (
    ActionEvent
    | TakebackEvent
    | SeatEvent
    | OfferEvent
    | AgreedEvent
    | ClaimEvent
    | EndEvent
    | BreakEvent
    | RematchEvent
    | ResumedEvent
)
ServerMessage = (
    Snapshot
    | TableEvent
    | Ack
    | ErrorMessage
    | Thinking
    | Pong
    | LagQuestion
    | PresenceMessage
    | ChatMessage
    | ChatHistory
)


# What a client says -------------------------------------------------------------------------------------------------


class PlayMessage(TypedDict):
    """Play ``action``, or several ``actions`` of yours, after ``ply`` actions."""

    type: Literal["act"]
    id: str
    ply: int
    action: NotRequired[str]
    actions: NotRequired[list[str]]


class TakebackMessage(TypedDict):
    """Go back to ``ply`` actions, or to before your own last turn; ``at``: how many actions you know of."""

    type: Literal["takeback"]
    id: str
    ply: NotRequired[int | None]
    at: NotRequired[int | None]


class AnswerMessage(TypedDict):
    """Yes or no to an offer; the no of whoever made it withdraws it."""

    type: Literal["answer"]
    id: str
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


# Answers of a table's addresses --------------------------------------------------------------------------------------


class OpenedSeat(TypedDict):
    """What opens a seat: a token for you, or a link for a friend. It is told only here."""

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


class NumberData(TypedDict):
    """The number of a table's last event, and of its actions."""

    number: int
    ply: int


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
